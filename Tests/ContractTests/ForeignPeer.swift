import Foundation
import PythonSupport

/// Google's protobuf for Python: it makes random messages of the contract, and reads ours.
enum ForeignPeer {
    /// One random message in both of its forms.
    struct Sample: Codable {
        var type: String
        /// In base64.
        var bytes: String
        var json: String
    }

    /// Random messages, `count` of each of `types`, which are the same for the same seed.
    static func samples(of types: [String], count: Int, seed: UInt64) throws -> [Sample] {
        try ContractFiles.inTemporaryFolder { folder in
            let output = folder.appending(path: "samples.json")
            try run("make", folder, [output.path, "\(seed)", "\(count)"] + types)
            return try JSONDecoder().decode([Sample].self, from: Data(contentsOf: output))
        }
    }

    /// Lets Python read the JSON of every sample, and compare it with its bytes.
    ///
    /// - Returns: The text that Python prints about those that differ.
    static func differences(in samples: [Sample]) throws -> String {
        try ContractFiles.inTemporaryFolder { folder in
            let input = folder.appending(path: "samples.json")
            try JSONEncoder().encode(samples).write(to: input)
            return try run("check", folder, [input.path])
        }
    }

    @discardableResult
    private static func run(
        _ command: String, _ folder: URL, _ arguments: [String]
    ) throws -> String {
        let set = folder.appending(path: "set.binpb")
        try ContractFiles.compile(ContractFiles.root.appending(path: "proto"), into: set)
        return try Python.run(["-c", script, command, set.path] + arguments)
    }

    private static let script = #"""
        import base64, json, random, sys
        from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

        pool = descriptor_pool.DescriptorPool()
        with open(sys.argv[2], "rb") as file:
            for item in descriptor_pb2.FileDescriptorSet.FromString(file.read()).file:
                pool.Add(item)

        def new(name):
            return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))()

        def integer(field, bits, signed):
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            return random.choice([0, 1, low, high, random.randint(low, high), random.randint(0, 9)])

        LETTERS = "ab z\0%\"\\/\n\u007f\u00e9\u4e2d\U0001f600"

        def value(field):
            kind = field.type
            if kind == field.TYPE_STRING:
                return "".join(random.choices(LETTERS, k=random.choice([0, 1, 3, 15, 16, 200])))
            if kind == field.TYPE_BYTES:
                return random.randbytes(random.choice([0, 1, 16, 300]))
            if kind == field.TYPE_BOOL:
                return random.random() < 0.5
            if kind == field.TYPE_ENUM:
                known = [item.number for item in field.enum_type.values]
                return random.choice(known * 4 + [-1, 77777, 2**31 - 1])
            bits = 64 if kind in (field.TYPE_INT64, field.TYPE_UINT64) else 32
            return integer(field, bits, kind in (field.TYPE_INT32, field.TYPE_INT64))

        def fill(message):
            if message.DESCRIPTOR.full_name == "google.protobuf.FieldMask":
                message.paths.extend(random.choices(["remark", "add_time_ms", "a.b_c"], k=2))
                return
            for field in message.DESCRIPTOR.fields:
                if random.random() < 0.3:
                    continue
                if field.message_type and field.message_type.GetOptions().map_entry:
                    held = field.message_type.fields_by_name["value"]
                    for _ in range(random.choice([0, 1, 2, 9])):
                        # All of one length: Python puts a key before those that begin it.
                        key = "".join(random.choices(LETTERS, k=5))
                        if held.message_type:
                            fill(getattr(message, field.name)[key])
                        else:
                            getattr(message, field.name)[key] = value(held)
                elif field.is_repeated:
                    for _ in range(random.choice([0, 1, 2, 9])):
                        if field.message_type:
                            fill(getattr(message, field.name).add())
                        else:
                            getattr(message, field.name).append(value(field))
                elif field.message_type:
                    getattr(message, field.name).SetInParent()
                    fill(getattr(message, field.name))
                else:
                    setattr(message, field.name, value(field))

        def make(path, seed, count, types):
            random.seed(int(seed))
            samples = []
            for name in types:
                for _ in range(int(count)):
                    message = new(name)
                    fill(message)
                    samples.append({
                        "type": name,
                        "bytes": base64.b64encode(
                            message.SerializeToString(deterministic=True)).decode(),
                        "json": json_format.MessageToJson(
                            message, preserving_proto_field_name=random.random() < 0.5),
                    })
            with open(path, "w") as file:
                json.dump(samples, file)

        def check(path):
            with open(path) as file:
                for sample in json.load(file):
                    wanted = new(sample["type"])
                    wanted.MergeFromString(base64.b64decode(sample["bytes"]))
                    try:
                        got = json_format.Parse(sample["json"], new(sample["type"]))
                    except json_format.ParseError as error:
                        print(sample["type"], error, sample["json"])
                        continue
                    if got != wanted:
                        print(sample["type"], "differs:", sample["json"], wanted)

        if sys.argv[1] == "make":
            make(*sys.argv[3:6], sys.argv[6:])
        else:
            check(sys.argv[3])
        """#
}
