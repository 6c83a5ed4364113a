using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;
using Relation.V1;

namespace Relation.Client
{
    /// <summary>A client of one server, for many threads, with the services as its properties.
    /// </summary>
    public sealed class RelationClient : Services, IDisposable
    {
        private const string Alphabet = "0123456789abcdef";
        private static readonly Regex Loopback = new Regex(@"^(127\.|localhost:|\[::1\])");

        private readonly string address;
        private readonly HttpClient http;

        /// <summary>Makes a client, which connects with its first call.</summary>
        /// <param name="address"><c>https://HOST:PORT</c> or <c>http://HOST:PORT</c>; without a
        /// scheme it is TLS, unless the host is this machine.</param>
        /// <param name="handler">One of your own, for example with other authorities.</param>
        public RelationClient(string address = "127.0.0.1:7450", HttpMessageHandler handler = null)
        {
            var scheme = Loopback.IsMatch(address) ? "http://" : "https://";
            this.address = (address.Contains("://") ? address : scheme + address).TrimEnd('/');
            http = new HttpClient(handler ?? new HttpClientHandler())
            {
                Timeout = System.Threading.Timeout.InfiniteTimeSpan,
            };
            MakeServices(this);
        }

        /// <summary>Is asked for the text of <c>authorization</c> before each attempt.</summary>
        public Func<Task<string>> Credential { get; set; }

        /// <summary>The number of the app in which a key acts.</summary>
        public int? AppId { get; set; }

        /// <summary>The deadline of a call that has none; streams have none.</summary>
        public TimeSpan Timeout { get; set; } = TimeSpan.FromSeconds(30);

        /// <summary>How calls are made again.</summary>
        public RetryPolicy Retries { get; set; } = new RetryPolicy();

        /// <summary>The credential of a back end or of an operator.</summary>
        public static Func<Task<string>> ApiKey(string key)
        {
            return () => Task.FromResult("Bearer " + key);
        }

        /// <summary>The credential of a user's device, which the app signs.</summary>
        public static Func<Task<string>> UserSig(string signature)
        {
            return () => Task.FromResult("UserSig " + signature);
        }

        /// <summary>Follows changes, over lost streams too.</summary>
        public Changes Changes(WatchRequest request, Action<CallError> onLost = null,
            CancellationToken cancel = default(CancellationToken))
        {
            return new Changes(this, request, onLost, cancel);
        }

        /// <summary>Ends the connections.</summary>
        public void Dispose()
        {
            http.Dispose();
        }

        /// <summary>Makes a call, again after errors that pass, until its deadline.</summary>
        internal async Task<TAnswer> CallAsync<TRequest, TAnswer>(
            string path, TRequest request, bool writes, CallOptions options)
            where TRequest : IMessage<TRequest>
            where TAnswer : IMessage<TAnswer>, new()
        {
            options = options ?? new CallOptions();
            var end = DateTime.UtcNow + (options.Timeout ?? Timeout);
            var needsId = writes && Retries.Attempts > 1;
            var body = (needsId ? WithRequestId(request) : request).ToByteArray();
            var mayRenew = Credential != null;
            for (var attempts = 1; ; attempts++)
            {
                CallError error;
                try
                {
                    var bytes = await AttemptAsync(path, body, end - DateTime.UtcNow, options)
                        .ConfigureAwait(false);
                    var answer = new TAnswer();
                    answer.MergeFrom(bytes);
                    return answer;
                }
                catch (CallError thrown)
                {
                    error = thrown;
                    error.Attempts = attempts;
                }
                if (error.Status == "UNAUTHENTICATED" && mayRenew)
                {
                    mayRenew = false;
                    continue;
                }
                var wait = Retries.Wait(attempts, error.RetryAfter);
                var isLast = attempts >= Retries.Attempts || !error.MayBeRepeated;
                if (isLast || DateTime.UtcNow + wait >= end) throw error;
                await Task.Delay(wait, options.Cancel).ConfigureAwait(false);
            }
        }

        /// <summary>Opens a stream, which is not repeated. All requests are sent first.</summary>
        internal AnswerStream<TAnswer> Stream<TRequest, TAnswer>(
            string path, IEnumerable<TRequest> requests, CallOptions options)
            where TRequest : IMessage<TRequest>
            where TAnswer : IMessage<TAnswer>, new()
        {
            options = options ?? new CallOptions();
            var body = new MemoryStream();
            foreach (var request in requests)
            {
                var bytes = request.ToByteArray();
                var prefix = new byte[5];
                BinaryPrimitives.WriteInt32BigEndian(prefix.AsSpan(1), bytes.Length);
                body.Write(prefix, 0, prefix.Length);
                body.Write(bytes, 0, bytes.Length);
            }
            return new AnswerStream<TAnswer>(
                cancel => SendAsync(path, "application/connect+proto", body.ToArray(),
                    options.Timeout, options, cancel),
                options.Cancel);
        }

        private async Task<byte[]> AttemptAsync(
            string path, byte[] body, TimeSpan timeout, CallOptions options)
        {
            if (timeout < TimeSpan.Zero) timeout = TimeSpan.Zero;
            using (var ending = CancellationTokenSource.CreateLinkedTokenSource(options.Cancel))
            {
                ending.CancelAfter(timeout);
                try
                {
                    using (var answer = await SendAsync(path, "application/proto", body, timeout,
                        options, ending.Token).ConfigureAwait(false))
                    {
                        var bytes = await answer.Content.ReadAsByteArrayAsync()
                            .ConfigureAwait(false);
                        if (answer.IsSuccessStatusCode) return bytes;
                        var text = System.Text.Encoding.UTF8.GetString(bytes);
                        throw CallError.OfAnswer(answer.StatusCode, text);
                    }
                }
                catch (OperationCanceledException cause)
                {
                    var isCancelled = options.Cancel.IsCancellationRequested;
                    throw new CallError(
                        isCancelled ? "CANCELLED" : "DEADLINE_EXCEEDED", cause.Message, cause);
                }
                catch (HttpRequestException cause)
                {
                    throw new CallError("UNAVAILABLE", cause.Message, cause);
                }
            }
        }

        private async Task<HttpResponseMessage> SendAsync(
            string path, string type, byte[] body, TimeSpan? timeout, CallOptions options,
            CancellationToken cancel)
        {
            var message = new HttpRequestMessage(HttpMethod.Post, address + path)
            {
                Content = new ByteArrayContent(body),
            };
            message.Content.Headers.ContentType = new MediaTypeHeaderValue(type);
            var headers = new Dictionary<string, string> { ["connect-protocol-version"] = "1" };
            headers["user-agent"] = "relation-client-csharp/" + Version;
            if (timeout is TimeSpan time)
            {
                var milliseconds = Math.Max(1, (long)Math.Ceiling(time.TotalMilliseconds));
                headers["connect-timeout-ms"] =
                    milliseconds.ToString(CultureInfo.InvariantCulture);
            }
            if (Credential != null)
            {
                headers["authorization"] = await Credential().ConfigureAwait(false);
            }
            if (AppId is int app)
            {
                headers["x-app-id"] = app.ToString(CultureInfo.InvariantCulture);
            }
            foreach (var pair in options.Headers ?? new Dictionary<string, string>())
            {
                headers[pair.Key] = pair.Value;
            }
            foreach (var pair in headers)
            {
                message.Headers.TryAddWithoutValidation(pair.Key, pair.Value);
            }
            return await http.SendAsync(
                message, HttpCompletionOption.ResponseHeadersRead, cancel).ConfigureAwait(false);
        }

        /// <summary>The request under an id of its own, unless it has one or is only tried.
        /// </summary>
        private static TRequest WithRequestId<TRequest>(TRequest request)
            where TRequest : IMessage<TRequest>
        {
            var field = request.Descriptor.FindFieldByName("options").Accessor;
            var options = (WriteOptions)field.GetValue(request);
            if (options != null && (options.RequestId != "" || options.DryRun)) return request;
            var random = new byte[16];
            using (var chance = RandomNumberGenerator.Create())
            {
                chance.GetBytes(random);
            }
            var id = "";
            foreach (var one in random) id += Alphabet[one >> 4].ToString() + Alphabet[one & 15];
            options = options == null ? new WriteOptions() : options.Clone();
            options.RequestId = id;
            var copy = request.Clone();
            field.SetValue(copy, options);
            return copy;
        }
    }
}
