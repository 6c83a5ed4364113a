using System;
using System.Collections.Generic;
using System.Threading;

namespace Relation.Client
{
    /// <summary>The options of one call.</summary>
    public sealed class CallOptions
    {
        /// <summary>The deadline; without it that of the client. Streams have none.</summary>
        public TimeSpan? Timeout { get; set; }

        /// <summary>Further headers, in place of those of the client.</summary>
        public IDictionary<string, string> Headers { get; set; }

        /// <summary>Cancels the call.</summary>
        public CancellationToken Cancel { get; set; }
    }
}
