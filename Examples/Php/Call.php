<?php

declare(strict_types=1);

/**
 * A call of gRPC by curl, for machines that have no `grpc` extension for PHP.
 *
 * It sends its requests at once, and reads the answers as they come. So it makes unary calls and
 * streams of answers, many at a time, but no call that reads an answer between two requests.
 */
final class Call
{
    private const STREAM_ERROR = 92; // CURLE_HTTP2_STREAM, which PHP does not name.
    private static CurlMultiHandle $calls;

    private readonly CurlHandle $handle;
    private string $bytes = '';
    private array $metadata = []; // Headers and trailers of the answer.
    private ?CallFailed $failure = null;
    private bool $ended = false;
    private readonly int $length;
    private int $retries;

    /** @param string[] $requests encoded messages */
    public function __construct(
        string $server,
        string $path,
        array $requests,
        array $metadata = [],
        int $milliseconds = 10000,
    ) {
        $frame = fn (string $message) => pack('CN', 0, strlen($message)) . $message;
        $header = fn (string $key, string $value) => "$key: $value";
        $metadata += [
            'content-type' => 'application/grpc',
            'te' => 'trailers',
            'grpc-timeout' => "{$milliseconds}m",
        ];
        $body = implode(array_map($frame, $requests));
        $this->length = strlen($body);
        $this->retries = count($requests) === 1 ? 9 : 0;
        $this->handle = curl_init("http://$server/$path");
        curl_setopt_array($this->handle, [
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE,
            // Curl 7.88 fails the second call of a connection without TLS; 8.0 does not.
            CURLOPT_FRESH_CONNECT => true,
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_HTTPHEADER => array_map($header, array_keys($metadata), $metadata),
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_TIMEOUT_MS => $milliseconds,
            CURLOPT_PRIVATE => $this,
            CURLOPT_HEADERFUNCTION => function (CurlHandle $handle, string $line): int {
                [$key, $value] = explode(':', $line, 2) + [1 => ''];
                $this->metadata[$key] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function (CurlHandle $handle, string $bytes): int {
                $this->bytes .= $bytes;
                return strlen($bytes);
            },
        ]);
        self::$calls ??= curl_multi_init();
        curl_multi_add_handle(self::$calls, $this->handle);
        curl_multi_exec(self::$calls, $running);
    }

    /**
     * Waits for the next answer, and returns its bytes, or null at the end of the call.
     *
     * @throws CallFailed if the call ended with another status than OK
     */
    public function receive(): ?string
    {
        while (($message = $this->next()) === null && !$this->ended) {
            curl_multi_select(self::$calls, 0.1);
            curl_multi_exec(self::$calls, $running);
            while ($done = curl_multi_info_read(self::$calls)) {
                curl_getinfo($done['handle'], CURLINFO_PRIVATE)->end($done['result']);
            }
        }
        if ($message === null && $this->failure !== null) {
            throw $this->failure;
        }
        return $message;
    }

    /** The one answer of a unary call. */
    public function answer(): string
    {
        $message = $this->receive();
        if ($message === null || $this->receive() !== null) {
            throw new CallFailed('INTERNAL', 'not one answer');
        }
        return $message;
    }

    /** Ends the call, if it has not ended. */
    public function cancel(): void
    {
        if (!$this->ended) {
            $this->finish(new CallFailed('CANCELLED', 'cancelled by the client'));
        }
    }

    private function end(int $result): void
    {
        // Curl 7.88 may lose an answer that comes before the whole request is sent. The server has
        // done nothing of a message that it did not get, so such a call is made again.
        $sent = curl_getinfo($this->handle, CURLINFO_SIZE_UPLOAD_T);
        $lost = $result === self::STREAM_ERROR && $this->metadata === [] && $sent < $this->length;
        if ($lost && $this->retries-- > 0) {
            curl_multi_remove_handle(self::$calls, $this->handle);
            curl_multi_add_handle(self::$calls, $this->handle);
            return;
        }
        $system = curl_getinfo($this->handle, CURLINFO_OS_ERRNO);
        $reason = $system === 0 ? curl_strerror($result) : posix_strerror($system);
        $status = $this->metadata['grpc-status'] ?? null;
        $this->finish(match (true) {
            $status === '0' => null,
            $status !== null => new CallFailed(
                CallFailed::STATUSES[$status] ?? 'UNKNOWN',
                rawurldecode($this->metadata['grpc-message'] ?? ''),
                base64_decode($this->metadata['grpc-status-details-bin'] ?? ''),
            ),
            $result === CURLE_OPERATION_TIMEDOUT => new CallFailed('DEADLINE_EXCEEDED', $reason),
            default => new CallFailed('UNAVAILABLE', $reason),
        });
    }

    /** Takes the transfer from curl, which resets its stream unless both sides have ended it. */
    private function finish(?CallFailed $failure): void
    {
        $this->failure = $failure;
        $this->ended = true;
        curl_multi_remove_handle(self::$calls, $this->handle);
    }

    /** The next whole message among the bytes that came. */
    private function next(): ?string
    {
        $end = strlen($this->bytes) < 5 ? 5 : 5 + unpack('N', $this->bytes, 1)[1];
        if (strlen($this->bytes) < $end) {
            return null;
        }
        $message = substr($this->bytes, 5, $end - 5);
        $this->bytes = substr($this->bytes, $end);
        return $message;
    }
}
