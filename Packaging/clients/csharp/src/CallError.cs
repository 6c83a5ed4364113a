using System;
using System.Collections.Generic;
using System.Globalization;
using System.Net;
using System.Text.Json;
using Relation.V1;

namespace Relation.Client
{
    /// <summary>A call that failed as a whole. The outcome of an item is in the answer.</summary>
    public sealed class CallError : Exception
    {
        private const string Domain = "relation.v1";

        // Codes after which a stream of changes goes on: some are the words of proxies.
        private static readonly HashSet<string> Passing = new HashSet<string>
        {
            "UNAVAILABLE", "ABORTED", "CANCELLED", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED",
        };

        /// <summary>The code of gRPC by its name, such as <c>NOT_FOUND</c>.</summary>
        public string Status { get; }

        /// <summary>The reason, such as <c>USER_NOT_FOUND</c>; empty if there is none.</summary>
        public string Reason { get; private set; } = "";

        /// <summary>The metadata of the reason, such as <c>limit</c> and <c>actual</c>.</summary>
        public IDictionary<string, string> Metadata { get; } = new Dictionary<string, string>();

        /// <summary>Each invalid field of the request, with its rule.</summary>
        public IDictionary<string, string> Fields { get; } = new Dictionary<string, string>();

        /// <summary>The time after which the server asks to try again.</summary>
        public TimeSpan? RetryAfter { get; private set; }

        /// <summary>How often the call was made.</summary>
        public int Attempts { get; internal set; } = 1;

        internal CallError(string status, string message, Exception cause = null)
            : base(message, cause)
        {
            Status = status;
        }

        /// <summary>The reason as the contract's enum; Unspecified if it is a newer one.</summary>
        public ErrorReason ErrorReason
        {
            get
            {
                var name = "ERROR_REASON_" + Reason;
                var value = ReasonReflection.Descriptor.FindTypeByName<
                    Google.Protobuf.Reflection.EnumDescriptor>("ErrorReason").FindValueByName(name);
                return value == null ? ErrorReason.Unspecified : (ErrorReason)value.Number;
            }
        }

        /// <summary>Whether the same call may succeed later, if it may be made twice.</summary>
        public bool MayBeRepeated
        {
            get
            {
                switch (Status)
                {
                    case "UNAVAILABLE": return Reason != "BEHIND";
                    case "RESOURCE_EXHAUSTED": return RetryAfter != null;
                    default: return Reason == "OUTCOME_UNKNOWN" || Reason == "CONFLICT";
                }
            }
        }

        /// <summary>Whether another stream of changes may go on.</summary>
        internal bool EndsAStreamOnly => Passing.Contains(Status)
            ? Reason != "READER_FENCED"
            : Reason == "" && (Status == "UNKNOWN" || Status == "INTERNAL");

        /// <summary>The error of an answer of HTTP that is not OK.</summary>
        internal static CallError OfAnswer(HttpStatusCode http, string body)
        {
            try
            {
                using (var document = JsonDocument.Parse(body))
                {
                    if (document.RootElement.TryGetProperty("code", out _))
                    {
                        return Of(document.RootElement);
                    }
                }
            }
            catch (JsonException)
            {
                // An answer of a proxy.
            }
            var number = (int)http;
            var passes = number >= 500 || number == 408 || number == 425 || number == 429;
            return new CallError(passes ? "UNAVAILABLE" : "UNKNOWN", "HTTP " + number);
        }

        /// <summary>The error of an object of Connect.</summary>
        internal static CallError Of(JsonElement error)
        {
            var status = Text(error, "code").ToUpperInvariant().Replace("CANCELED", "CANCELLED");
            var made = new CallError(status, Text(error, "message"));
            if (!error.TryGetProperty("details", out var details)) return made;
            foreach (var detail in details.EnumerateArray())
            {
                if (detail.TryGetProperty("debug", out var debug))
                {
                    made.Read(Text(detail, "type"), debug);
                }
            }
            return made;
        }

        private void Read(string type, JsonElement detail)
        {
            if (type == "google.rpc.ErrorInfo" && Text(detail, "domain") == Domain)
            {
                Reason = Text(detail, "reason");
                if (!detail.TryGetProperty("metadata", out var metadata)) return;
                foreach (var pair in metadata.EnumerateObject())
                {
                    Metadata[pair.Name] = pair.Value.GetString();
                }
            }
            else if (type == "google.rpc.BadRequest")
            {
                if (!detail.TryGetProperty("fieldViolations", out var violations)) return;
                foreach (var one in violations.EnumerateArray())
                {
                    Fields[Text(one, "field")] = Text(one, "description");
                }
            }
            else if (type == "google.rpc.RetryInfo")
            {
                var delay = Text(detail, "retryDelay").TrimEnd('s');
                double.TryParse(
                    delay, NumberStyles.Float, CultureInfo.InvariantCulture, out var seconds);
                RetryAfter = TimeSpan.FromSeconds(seconds);
            }
        }

        private static string Text(JsonElement element, string name)
        {
            return element.TryGetProperty(name, out var value) ? value.GetString() ?? "" : "";
        }
    }
}
