using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf;

namespace Relation.Client
{
    /// <summary>The pages of a list, which are asked for as they are needed.</summary>
    public sealed class Pages<TRequest, TAnswer> : IAsyncEnumerable<TAnswer>,
        IAsyncEnumerator<TAnswer>
        where TRequest : IMessage<TRequest>
        where TAnswer : IMessage<TAnswer>
    {
        private readonly Func<TRequest, Task<TAnswer>> call;
        private readonly TRequest request;
        private bool isOver;

        internal Pages(Func<TRequest, Task<TAnswer>> call, TRequest request)
        {
            this.call = call;
            this.request = request.Clone();
        }

        /// <summary>The page that was asked for last.</summary>
        public TAnswer Current { get; private set; }

        /// <summary>The pages themselves, since they are read once.</summary>
        public IAsyncEnumerator<TAnswer> GetAsyncEnumerator(
            CancellationToken cancel = default(CancellationToken))
        {
            return this;
        }

        /// <summary>Asks for the next page. Only a missing token ends a list.</summary>
        public async ValueTask<bool> MoveNextAsync()
        {
            if (isOver) return false;
            Current = await call(request).ConfigureAwait(false);
            var token = (string)Current.Descriptor.FindFieldByName("next_page_token").Accessor
                .GetValue(Current);
            request.Descriptor.FindFieldByName("page_token").Accessor.SetValue(request, token);
            isOver = token == "";
            return true;
        }

        /// <summary>Does nothing: a page is a call of its own.</summary>
        public ValueTask DisposeAsync()
        {
            return default(ValueTask);
        }
    }
}
