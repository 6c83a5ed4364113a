package relation

import (
	"context"
	"math/rand"
	"time"
)

// RetryPolicy says how a call is made again after an error that passes. A write is sent again under
// the same request id, so it is done once. What is 0 has its default.
type RetryPolicy struct {
	// Attempts is how often a call is made at most, the first time included: 5.
	Attempts int
	// FirstWait is the wait before the second attempt, 100 ms; each further one is twice as long.
	FirstWait time.Duration
	// LongestWait bounds a wait, unless the server asks for a longer one: 2 s.
	LongestWait time.Duration
	// Jitter is the part of a wait by which chance makes it shorter or longer: 0.2.
	Jitter float64
}

func (policy RetryPolicy) withDefaults() RetryPolicy {
	if policy.Attempts == 0 {
		policy.Attempts = 5
	}
	if policy.FirstWait == 0 {
		policy.FirstWait = 100 * time.Millisecond
	}
	if policy.LongestWait == 0 {
		policy.LongestWait = 2 * time.Second
	}
	if policy.Jitter == 0 {
		policy.Jitter = 0.2
	}
	return policy
}

// wait is the time to wait after so many attempts.
func (policy RetryPolicy) wait(attempts int, asked *time.Duration) time.Duration {
	wait := policy.FirstWait
	for ; attempts > 1 && wait < policy.LongestWait; attempts-- {
		wait *= 2
	}
	if wait > policy.LongestWait {
		wait = policy.LongestWait
	}
	wait = time.Duration(float64(wait) * (1 + policy.Jitter*(2*rand.Float64()-1)))
	if asked != nil {
		longer := time.Duration(float64(*asked) * (1 + policy.Jitter*rand.Float64()))
		if longer > wait {
			return longer
		}
	}
	return wait
}

// sleep waits, and says whether the context has not ended.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
