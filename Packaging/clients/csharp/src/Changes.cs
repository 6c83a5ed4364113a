using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Relation.V1;

namespace Relation.Client
{
    /// <summary>Changes, over lost streams too: a new one goes on with the last token.</summary>
    /// <remarks>Keep the resume token of the last message that you are done with, and a later run
    /// goes on there. It ends only by a refusal of the service, or by its disposal.</remarks>
    public sealed class Changes : IAsyncEnumerable<WatchResponse>, IAsyncEnumerator<WatchResponse>
    {
        private const long HeartbeatMs = 25_000;
        private const int SilentHeartbeats = 3;
        private static readonly TimeSpan LeastSilence = TimeSpan.FromSeconds(10);

        private readonly RelationClient client;
        private readonly WatchRequest request;
        private readonly Action<CallError> onLost;
        private readonly CancellationTokenSource ending;
        private readonly TimeSpan silence;
        private AnswerStream<WatchResponse> stream;
        private CancellationTokenSource guard;
        private int failures;

        internal Changes(RelationClient client, WatchRequest request, Action<CallError> onLost,
            CancellationToken cancel)
        {
            this.client = client;
            this.request = request.Clone();
            this.onLost = onLost;
            ending = CancellationTokenSource.CreateLinkedTokenSource(cancel);
            if (this.request.HeartbeatMs == 0) this.request.HeartbeatMs = HeartbeatMs;
            silence = TimeSpan.FromMilliseconds(SilentHeartbeats * this.request.HeartbeatMs);
            if (silence < LeastSilence) silence = LeastSilence;
        }

        /// <summary>The message that was read last.</summary>
        public WatchResponse Current => stream.Current;

        /// <summary>The changes themselves, since they are read once.</summary>
        public IAsyncEnumerator<WatchResponse> GetAsyncEnumerator(
            CancellationToken cancel = default(CancellationToken))
        {
            cancel.Register(ending.Cancel);
            return this;
        }

        /// <summary>Waits for the next message; false after the end.</summary>
        public async ValueTask<bool> MoveNextAsync()
        {
            while (!ending.IsCancellationRequested)
            {
                try
                {
                    await ReceiveAsync().ConfigureAwait(false);
                    failures = 0;
                    if (Current.ResumeToken != "") request.ResumeToken = Current.ResumeToken;
                    return true;
                }
                catch (CallError error)
                {
                    await LostAsync(error).ConfigureAwait(false);
                }
            }
            return false;
        }

        /// <summary>Ends the stream.</summary>
        public ValueTask DisposeAsync()
        {
            ending.Cancel();
            return stream == null ? default(ValueTask) : stream.DisposeAsync();
        }

        private async Task ReceiveAsync()
        {
            if (stream == null)
            {
                guard = CancellationTokenSource.CreateLinkedTokenSource(ending.Token);
                stream = client.Change.Watch(request, new CallOptions { Cancel = guard.Token });
            }
            guard.CancelAfter(silence);
            var came = await stream.MoveNextAsync().ConfigureAwait(false);
            guard.CancelAfter(Timeout.InfiniteTimeSpan);
            if (!came) throw new CallError("UNAVAILABLE", "the stream ended");
        }

        /// <summary>Waits before the next stream, or throws what none would help.</summary>
        private async Task LostAsync(CallError error)
        {
            await stream.DisposeAsync().ConfigureAwait(false);
            stream = null;
            if (ending.IsCancellationRequested) return;
            if (!error.EndsAStreamOnly) throw error;
            TakeToken(error);
            onLost?.Invoke(error);
            failures++;
            var wait = client.Retries.Wait(failures, error.RetryAfter);
            await Task.WhenAny(Task.Delay(wait, ending.Token)).ConfigureAwait(false);
        }

        /// <summary>Takes the place at which the server says to go on.</summary>
        private void TakeToken(CallError error)
        {
            if (error.Metadata.TryGetValue("resume_token", out var token) && token != "")
            {
                request.ResumeToken = token;
            }
        }
    }
}
