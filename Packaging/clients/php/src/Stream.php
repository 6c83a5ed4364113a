<?php

declare(strict_types=1);

namespace Relation\Client;

/** An open stream of answers: `foreach` reads it. */
final class Stream implements \IteratorAggregate
{
    private const END = 2;
    private const PREFIX = 5; // A byte of flags, and the length.
    private const LONGEST_SELECT = 1.0;

    private ?\CurlMultiHandle $transfers;
    private string $bytes = '';
    private ?int $result = null;

    /** @param string $answer the class of the answers */
    public function __construct(
        private readonly \CurlHandle $transfer,
        private readonly string $answer,
    ) {
        $take = function (\CurlHandle $_, string $bytes): int {
            $this->bytes .= $bytes;
            return strlen($bytes);
        };
        curl_setopt($transfer, CURLOPT_WRITEFUNCTION, $take);
        $this->transfers = curl_multi_init();
        curl_multi_add_handle($this->transfers, $transfer);
        curl_multi_exec($this->transfers, $running);
    }

    public function __destruct()
    {
        $this->cancel();
    }

    /** Ends the stream. */
    public function cancel(): void
    {
        if ($this->transfers !== null) {
            curl_multi_remove_handle($this->transfers, $this->transfer);
            $this->transfers = null;
        }
    }

    public function getIterator(): \Generator
    {
        while (($message = $this->receive()) !== null) {
            yield $message;
        }
    }

    /**
     * Waits for the next answer, or returns null at the end.
     *
     * @param ?float $silence the seconds for which nothing may come
     * @throws CallError if the stream ended with an error
     */
    public function receive(?float $silence = null): ?object
    {
        $since = microtime(true);
        while (($frame = $this->next()) === null) {
            if ($this->transfers === null) {
                throw new CallError('CANCELLED', 'cancelled by the client');
            }
            if ($this->result !== null) {
                throw $this->broken();
            }
            if ($silence !== null && microtime(true) - $since > $silence) {
                $this->cancel();
                throw new CallError('UNAVAILABLE', 'nothing came');
            }
            curl_multi_select($this->transfers, self::LONGEST_SELECT);
            curl_multi_exec($this->transfers, $running);
            while ($done = curl_multi_info_read($this->transfers)) {
                $this->result = $done['result'];
            }
        }
        [$flags, $body] = $frame;
        if (($flags & self::END) === 0) {
            $message = new ($this->answer)();
            $message->mergeFromString($body);
            return $message;
        }
        $error = json_decode($body, true)['error'] ?? null;
        if ($error !== null) {
            throw CallError::ofBody(json_encode($error));
        }
        return null;
    }

    /** The error of a transfer that ended without the last message of a stream. */
    private function broken(): CallError
    {
        $http = curl_getinfo($this->transfer, CURLINFO_RESPONSE_CODE);
        if ($this->result !== CURLE_OK) {
            return CallError::ofCurl($this->result);
        }
        return $http === 200 ? new CallError('UNAVAILABLE', 'the stream ended without a status')
            : CallError::ofBody($this->bytes, $http);
    }

    /** The flags and the bytes of the next message, if it has come whole. */
    private function next(): ?array
    {
        if (curl_getinfo($this->transfer, CURLINFO_RESPONSE_CODE) !== 200
            || strlen($this->bytes) < self::PREFIX) {
            return null;
        }
        ['flags' => $flags, 'length' => $length] = unpack('Cflags/Nlength', $this->bytes);
        if (strlen($this->bytes) < self::PREFIX + $length) {
            return null;
        }
        $body = substr($this->bytes, self::PREFIX, $length);
        $this->bytes = substr($this->bytes, self::PREFIX + $length);
        return [$flags, $body];
    }
}
