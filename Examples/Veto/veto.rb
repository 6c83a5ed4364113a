# A hook that refuses texts with the word "spam": SECRET=whsec_… ruby veto.rb 8080
%w[json openssl socket].each { |name| require name }
KEY = ENV.fetch("SECRET").delete_prefix("whsec_").unpack1("m")
server = TCPServer.new("127.0.0.1", Integer(ARGV[0]))
loop do
  Thread.start(server.accept) do |connection|
    fields = connection.gets("\r\n\r\n").scan(/^([^:\r\n]+): *(.*?)\r$/).to_h
    fields.transform_keys!(&:downcase)
    body = connection.read(fields["content-length"].to_i)
    head = "#{fields["webhook-id"]}.#{fields["webhook-timestamp"]}."
    mine = "v1,#{[OpenSSL::HMAC.digest("SHA256", KEY, head + body)].pack("m0")}"
    good = fields["webhook-signature"].to_s.split.any? { |one| OpenSSL.secure_compare(mine, one) }
    items = good ? JSON.parse(body)["data"]["items"].each_with_index : []
    bad = items.select { |item, _| item["texts"].values.join("\n").include?("spam") }
    answer = JSON.generate(items: bad.map { |_, at| { index: at, code: 38001, info: "no spam" } })
    connection.write("HTTP/1.1 #{good ? "200 OK" : "401 Unauthorized"}\r\nconnection: close\r\n" \
                     "content-length: #{answer.bytesize}\r\n\r\n#{answer}")
    connection.close
  end
end
