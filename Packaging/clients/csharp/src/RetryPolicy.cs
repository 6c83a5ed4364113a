using System;

namespace Relation.Client
{
    /// <summary>How a call is made again after an error that passes. A write is sent again under
    /// the same request id, so it is done once.</summary>
    public sealed class RetryPolicy
    {
        private const double Jitter = 0.2;
        private static readonly Random Chance = new Random();

        /// <summary>How often a call is made at most, the first time included; 1 adds no ids.
        /// </summary>
        public int Attempts { get; set; } = 5;

        /// <summary>The wait before the second attempt; each later one is twice as long.</summary>
        public TimeSpan FirstWait { get; set; } = TimeSpan.FromMilliseconds(100);

        /// <summary>The longest wait, unless the server asks for a longer one.</summary>
        public TimeSpan LongestWait { get; set; } = TimeSpan.FromSeconds(2);

        /// <summary>The wait after so many attempts.</summary>
        internal TimeSpan Wait(int attempts, TimeSpan? asked)
        {
            double chance;
            lock (Chance)
            {
                chance = Chance.NextDouble();
            }
            var wait = Math.Min(
                FirstWait.TotalSeconds * Math.Pow(2, attempts - 1), LongestWait.TotalSeconds);
            var least = (asked ?? TimeSpan.Zero).TotalSeconds * (1 + Jitter * chance);
            return TimeSpan.FromSeconds(Math.Max(wait * (1 + Jitter * (2 * chance - 1)), least));
        }
    }
}
