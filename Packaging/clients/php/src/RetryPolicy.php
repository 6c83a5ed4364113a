<?php

declare(strict_types=1);

namespace Relation\Client;

/**
 * How a call is made again after an error that passes. A write is sent again under the same request
 * id, so it is done once.
 */
final class RetryPolicy
{
    private const JITTER = 0.2;

    /** Attempts include the first. Each wait in seconds is twice the one before. */
    public function __construct(
        public readonly int $attempts = 5,
        private readonly float $firstWait = 0.1,
        private readonly float $longestWait = 2.0,
    ) {}

    /** The seconds to wait after so many attempts. */
    public function wait(int $attempts, ?float $asked): float
    {
        $wait = min($this->firstWait * 2 ** ($attempts - 1), $this->longestWait);
        $chance = fn () => random_int(0, 1000) / 1000;
        $least = ($asked ?? 0) * (1 + self::JITTER * $chance());
        return max($wait * (1 + self::JITTER * (2 * $chance() - 1)), $least);
    }
}
