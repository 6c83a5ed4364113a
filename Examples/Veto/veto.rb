# A hook that refuses texts with the word "spam": ruby veto.rb 8080
require "json"
require "socket"

server = TCPServer.new("127.0.0.1", Integer(ARGV[0]))
loop do
  Thread.start(server.accept) do |connection|
    length = 0
    while (line = connection.gets) && line != "\r\n"
      length = line[/\Acontent-length: *(\d+)/i, 1].to_i if line =~ /\Acontent-length:/i
    end
    asked = JSON.parse(connection.read(length))
    refused = asked["data"]["items"].each_with_index
      .select { |item, _| item["texts"].values.any? { |text| text.include?("spam") } }
      .map { |_, index| { index: index, code: 38001, info: "no spam" } }
    answer = JSON.generate(items: refused)
    connection.write("HTTP/1.1 200 OK\r\nconnection: close\r\n" \
                     "content-length: #{answer.bytesize}\r\n\r\n#{answer}")
    connection.close
  end
end
