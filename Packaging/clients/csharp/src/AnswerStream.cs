using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;

namespace Relation.Client
{
    /// <summary>A stream of answers: <c>await foreach</c> reads it, once.</summary>
    public sealed class AnswerStream<TAnswer> : IAsyncEnumerable<TAnswer>, IAsyncEnumerator<TAnswer>
        where TAnswer : IMessage<TAnswer>, new()
    {
        private const int End = 2;
        private const int Prefix = 5; // A byte of flags, and the length.

        private readonly Func<CancellationToken, Task<HttpResponseMessage>> open;
        private readonly CancellationTokenSource ending;
        private readonly MessageParser<TAnswer> parser =
            new MessageParser<TAnswer>(() => new TAnswer());
        private HttpResponseMessage answer;
        private Stream body;

        internal AnswerStream(
            Func<CancellationToken, Task<HttpResponseMessage>> open, CancellationToken cancel)
        {
            this.open = open;
            ending = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        }

        /// <summary>The answer that was read last.</summary>
        public TAnswer Current { get; private set; }

        /// <summary>The stream itself, since it can be read once.</summary>
        public IAsyncEnumerator<TAnswer> GetAsyncEnumerator(
            CancellationToken cancel = default(CancellationToken))
        {
            cancel.Register(ending.Cancel);
            return this;
        }

        /// <summary>Waits for the next answer; false at the end.</summary>
        public async ValueTask<bool> MoveNextAsync()
        {
            try
            {
                if (answer == null) await BeginAsync().ConfigureAwait(false);
                var prefix = await ReadAsync(Prefix).ConfigureAwait(false);
                var length = BinaryPrimitives.ReadInt32BigEndian(prefix.AsSpan(1));
                var bytes = await ReadAsync(length).ConfigureAwait(false);
                if ((prefix[0] & End) == 0)
                {
                    Current = parser.ParseFrom(bytes);
                    return true;
                }
                CheckEnd(bytes);
                return false;
            }
            catch (OperationCanceledException cause)
            {
                throw new CallError("CANCELLED", "cancelled by the client", cause);
            }
            catch (Exception cause) when (cause is HttpRequestException || cause is IOException)
            {
                throw new CallError("UNAVAILABLE", cause.Message, cause);
            }
        }

        /// <summary>Ends the stream.</summary>
        public ValueTask DisposeAsync()
        {
            ending.Cancel();
            answer?.Dispose();
            return default(ValueTask);
        }

        /// <summary>Throws the error of the last message, if it has one.</summary>
        private static void CheckEnd(byte[] bytes)
        {
            using (var document = JsonDocument.Parse(bytes))
            {
                if (document.RootElement.TryGetProperty("error", out var error))
                {
                    throw CallError.Of(error);
                }
            }
        }

        private async Task BeginAsync()
        {
            answer = await open(ending.Token).ConfigureAwait(false);
            if (!answer.IsSuccessStatusCode)
            {
                var text = await answer.Content.ReadAsStringAsync().ConfigureAwait(false);
                throw CallError.OfAnswer(answer.StatusCode, text);
            }
            body = await answer.Content.ReadAsStreamAsync().ConfigureAwait(false);
        }

        private async Task<byte[]> ReadAsync(int length)
        {
            var bytes = new byte[length];
            for (var at = 0; at < length; )
            {
                var count = await body.ReadAsync(bytes, at, length - at, ending.Token)
                    .ConfigureAwait(false);
                if (count == 0)
                {
                    throw new CallError("UNAVAILABLE", "the stream ended without a status");
                }
                at += count;
            }
            return bytes;
        }
    }
}
