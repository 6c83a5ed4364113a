# Runs cases against a server: ruby -I GENERATED run.rb ADDRESS FILE...

require "google/protobuf/well_known_types"
require "google/rpc/error_details_pb"
require "grpc"
require "json"
require "securerandom"

Dir["relation/v1/*_pb.rb", base: $LOAD_PATH.first].each { |file| require file }
Thread.abort_on_exception = true

# The bytes of a request. The generated calls encode a request by its class, so they take this too.
Raw = Struct.new(:bytes) { def self.encode(raw) = raw.bytes }

# The generated messages and calls, for one server.
class Client
  def initialize(address)
    @address, @stubs = address, {}
  end

  def generated(name) = Relation::V1.const_get(name)

  def call(path, ...)
    service, name = path.split("/")
    stub = @stubs[service] ||= generated(service)::Stub.new(@address, :this_channel_is_insecure)
    stub.public_send(GRPC::GenericService.underscore(name), ...)
  end

  # The request of a step for a call.
  def encode(path, step)
    type = generated("#{path.split("/").last}Request")
    bytes = type.encode(type.decode_json(JSON.generate(step[:request])))
    Raw.new(bytes + [step.fetch(:extra, "")].pack("H*"))
  end
end

def json(message) = JSON.parse(message.to_json, symbolize_names: true)

# What the block returns, or else the error that it raises, in the form in which a step expects it.
def outcome
  yield
rescue GRPC::BadStatus => error
  details = { status: GRPC::GenericService.underscore(error.class.name.split("::").last).upcase }
  error.to_rpc_status&.details&.each do |detail|
    case detail.type_name
    when "google.rpc.ErrorInfo"
      info = json(detail.unpack(Google::Rpc::ErrorInfo))
      details.merge!(info.slice(:reason, :metadata)) if info[:domain] == "relation.v1"
    when "google.rpc.BadRequest"
      details[:fields] = detail.unpack(Google::Rpc::BadRequest).field_violations.map(&:field)
    when "google.rpc.RetryInfo" then details[:retry] = true
    end
  end
  { error: details }
end

# A call with a stream of answers. A thread puts what comes into a queue, and then the end.
class Stream
  attr_reader :path

  def initialize(client, path, request, options)
    @path, @requests, @came = path, Queue.new, Queue.new
    sent = Enumerator.new { |all| while (one = @requests.pop) do all << one end }
    @call = client.call(path, request || sent, return_op: true, **options) do |message|
      @came << { answer: json(message) }
    end
    Thread.new { @came << outcome { { end: true }.tap { @call.execute } } }
  end

  def send(request) = @requests << request
  def half_close = @requests.close
  def cancel = @call.cancel
  def receive = @came.pop.tap { |came| @came << came unless came.key?(:answer) }
end

# A value of a case with its variables put in.
def expand(value, names)
  case value
  in String then value.gsub(/\$\{(\w+)\}/) { names.fetch($1) }
  in Array then value.map { |item| expand(item, names) }
  in { "$repeat": part, times: } if part.to_s.include?("${index}")
    made = Array.new(times) { |index| expand(part, { **names, "index" => index.to_s }) }
    part.is_a?(String) ? made.join : made.flatten(1)
  in { "$repeat": part, times: } then expand(part, names) * times
  in Hash then value.to_h { |key, item| [expand(key.to_s, names).to_sym, expand(item, names)] }
  else value
  end
end

# One run of a case, with users and an app of its own.
class Case
  KINDS = { "string" => String, "number" => Numeric, "object" => Hash }.freeze

  def initialize(client)
    @client, @streams, @names = client, {}, { "run" => SecureRandom.hex(5) }
  end

  # Runs the case, and returns what was wrong, or nil.
  def run(test)
    users, unknown = test.values_at(:users, :unknown).map(&:to_a)
    [*users, *unknown].each { |name| @names[name] = "#{name}-#{@names["run"]}" }
    failure([*app(test[:app]), *users.map { |name| user(name) }]) || failure(test[:steps])
  rescue Google::Protobuf::ParseError => error
    "a message is not in this client's contract: #{error.message}"
  ensure
    @streams.each_value { |stream| stream.half_close && stream.cancel }
    step({ call: "AppService/DeleteApp", request: { appId: @names["app"] } }) if @names["app"]
  end

  def app(request)
    saved = { app: { "$has": { appId: { "$save": "app" } } } }
    [{ call: "AppService/CreateApp", request:, answer: { "$has": saved } }] if request
  end

  def user(name)
    request = { userId: @names[name], profile: { gender: 0 }, updateMask: "gender" }
    { call: "ProfileService/UpdateProfile", request:, answer: { "$has": { applied: true } } }
  end

  # Does steps one after the other, and returns what was wrong with the first that fails, or nil.
  def failure(steps)
    steps.each.with_index(1) do |step, number|
      step.fetch(:times, 1).times do |index|
        wrong = try(expand(step, { **@names, "index" => index.to_s }))
        return "step #{number}: #{wrong.delete_prefix(".")}" if wrong
      end
    end
    nil
  end

  # Does a step until it is answered as expected or may not be repeated.
  def try(step)
    deadline = Time.now + step.fetch(:retryForMs, 0) / 1000.0
    loop do
      came = step(step)
      wrong = differs(step.slice(:answer, :error, :end), came, "")
      passed_over = step[:skipping] && came.key?(:answer)
      return wrong unless wrong && (passed_over || Time.now < deadline)
    end
  end

  # Does one step, and returns what came.
  def step(step)
    metadata = { "x-app-id" => @names["app"], **step[:metadata].to_h.transform_keys(&:to_s) }
    deadline = Time.now + step.fetch(:timeoutMs, 20_000) / 1000.0
    options = { metadata: metadata.compact, deadline: }
    case step
    in { call: path }
      return outcome { { answer: json(@client.call(path, @client.encode(path, step), **options)) } }
    in { decode: name, bytes: }
      message = @client.generated(name).decode([bytes].pack("H*"))
      same = message.class.encode(message).unpack1("H*") == bytes || !step[:again]
      return same ? { answer: json(message) } : { error: "encoded again, the bytes differ" }
    in { receive: name } then return @streams[name].receive
    in { open: path, stream: name }
      request = @client.encode(path, step) if step[:request]
      @streams[name] = Stream.new(@client, path, request, options)
    in { send: name } then @streams[name].send(@client.encode(@streams[name].path, step))
    in { halfClose: name } then @streams[name].half_close
    in { cancel: name } then @streams[name].cancel
    end
    {}
  end

  # The first difference in words, or nil. Saves the values that `$save` names.
  def differs(expected, came, path)
    case [expected, came]
    in [{ "$save": name }, _] unless came.nil?
      @names[name] = came.to_s
      nil
    in [{ "$any": kind }, _] if KINDS[kind] === came then nil
    in [{ "$has": Array => items }, Array]
      missing = items.find { |item| came.all? { |one| differs(item, one, path) } }
      missing && "#{path}: expected #{missing} among #{came}"
    in [{ "$has": Hash => some }, Hash] then first_difference(some.keys, some, came, path)
    in [Hash, Hash] then first_difference(came.keys | expected.keys, expected, came, path)
    in [Array, Array] if expected.size == came.size
      first_difference(expected.each_index, expected, came, path)
    else
      "#{path}: expected #{expected.inspect}, came #{came.inspect}" if expected != came
    end
  end

  def first_difference(keys, expected, came, path)
    keys.lazy.filter_map { |key| differs(expected[key], came[key], "#{path}.#{key}") }.first
  end
end

client = Client.new(ARGV.shift)
passed = failed = 0
ARGV.each do |path|
  file = JSON.parse(File.read(path), symbolize_names: true)
  file[:cases].each do |test|
    wrong = Case.new(client).run(test)
    wrong ? failed += 1 : passed += 1
    puts "#{file[:call]}: #{test[:name]}: #{wrong}" if wrong
  end
end
puts "#{passed} cases passed, #{failed} failed"
exit passed.positive? && failed.zero?
