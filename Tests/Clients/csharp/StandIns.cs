// The parts of Google.Protobuf and System.Text.Json that the client in C# names, without their work:
// a compiler checks the types of the client against them.
using System;
using System.Collections.Generic;
using Google.Protobuf.Reflection;

namespace Google.Protobuf.Reflection
{
    public interface IDescriptor { }

    public interface IFieldAccessor
    {
        object GetValue(IMessage message);
        void SetValue(IMessage message, object value);
    }

    public abstract class FieldDescriptor : IDescriptor
    {
        public abstract IFieldAccessor Accessor { get; }
    }

    public abstract class MessageDescriptor : IDescriptor
    {
        public abstract FieldDescriptor FindFieldByName(string name);
    }

    public abstract class EnumValueDescriptor : IDescriptor
    {
        public abstract int Number { get; }
    }

    public abstract class EnumDescriptor : IDescriptor
    {
        public abstract EnumValueDescriptor FindValueByName(string name);
    }

    public abstract class FileDescriptor
    {
        public abstract T FindTypeByName<T>(string name) where T : class, IDescriptor;
    }
}

namespace Google.Protobuf
{
    public interface IMessage
    {
        MessageDescriptor Descriptor { get; }
    }

    public interface IDeepCloneable<T>
    {
        T Clone();
    }

    public interface IMessage<T> : IMessage, IDeepCloneable<T> where T : IMessage<T> { }

    public static class MessageExtensions
    {
        public static byte[] ToByteArray(this IMessage message) { return null; }
        public static void MergeFrom(this IMessage message, byte[] data) { }
    }

    public sealed class MessageParser<T> where T : IMessage<T>
    {
        public MessageParser(Func<T> factory) { }
        public T ParseFrom(byte[] data) { return default(T); }
    }
}

namespace System.Text.Json
{
    public class JsonException : Exception { }

    public struct JsonProperty
    {
        public string Name { get { return null; } }
        public JsonElement Value { get { return default(JsonElement); } }
    }

    public struct JsonElement
    {
        public bool TryGetProperty(string name, out JsonElement value)
        {
            value = this;
            return true;
        }

        public string GetString() { return null; }
        public IEnumerable<JsonElement> EnumerateArray() { return null; }
        public IEnumerable<JsonProperty> EnumerateObject() { return null; }
    }

    public abstract class JsonDocument : IDisposable
    {
        public static JsonDocument Parse(string json) { return null; }
        public static JsonDocument Parse(ReadOnlyMemory<byte> json) { return null; }
        public abstract JsonElement RootElement { get; }
        public abstract void Dispose();
    }
}

namespace Relation.V1
{
    public enum ErrorReason { Unspecified }

    public static class ReasonReflection
    {
        public static FileDescriptor Descriptor { get { return null; } }
    }
}
