<?php

declare(strict_types=1);

namespace Relation\Client;

use Google\Protobuf\Internal\Message;
use Relation\V1\WatchRequest;
use Relation\V1\WriteOptions;

/**
 * A client of one server, with the services as its properties.
 *
 * Options of a call are `timeout` in seconds and `headers`.
 */
final class Client extends Services
{
    private const LOOPBACK = '/^(127\.|localhost:|\[::1\])/';
    private const HEARTBEAT_MS = 25_000;
    private const SILENT_HEARTBEATS = 3;
    private const LEAST_SILENCE = 10.0;

    private readonly string $base;
    private readonly \CurlHandle $connection;

    /**
     * The address is `https://HOST:PORT` or `http://HOST:PORT`. Without a scheme it is TLS, unless
     * the host is this machine.
     *
     * @param string|\Closure|null $credential `Client::apiKey(…)`, `Client::userSig(…)`, or a
     *     function that answers one, which is asked before each attempt
     * @param ?int $appId the number of the app in which a key acts
     * @param ?string $authorities a file in PEM, in place of those of the system
     * @param float $timeout the deadline of a call in seconds; streams have none by themselves
     * @param ?RetryPolicy $retries null makes no call again, and adds no request ids
     */
    public function __construct(
        string $address = '127.0.0.1:7450',
        private readonly string|\Closure|null $credential = null,
        private readonly ?int $appId = null,
        private readonly ?string $authorities = null,
        private readonly float $timeout = 30.0,
        private readonly ?RetryPolicy $retries = new RetryPolicy(),
    ) {
        $scheme = preg_match(self::LOOPBACK, $address) ? 'http://' : 'https://';
        $this->base = rtrim(str_contains($address, '://') ? $address : $scheme . $address, '/');
        $this->connection = curl_init();
        parent::__construct($this);
    }

    /** The credential of a back end or of an operator. */
    public static function apiKey(string $key): string
    {
        return "Bearer $key";
    }

    /** The credential of a user's device, which the app signs. */
    public static function userSig(string $signature): string
    {
        return "UserSig $signature";
    }

    /**
     * Makes a call of one request, again after errors that pass, until its deadline.
     *
     * @template Answer of Message
     * @param class-string<Answer> $answer
     * @return Answer
     */
    public function call(
        string $path, Message $request, string $answer, bool $writes = false, array $options = [],
    ): Message {
        $end = microtime(true) + ($options['timeout'] ?? $this->timeout);
        if ($writes && $this->retries !== null) {
            $request = self::withRequestId($request);
        }
        $mayRenew = $this->credential instanceof \Closure;
        for ($attempts = 1; ; $attempts++) {
            try {
                $message = new $answer();
                $message->mergeFromString($this->attempt(
                    $path, $request->serializeToString(), $end - microtime(true), $options));
                return $message;
            } catch (CallError $error) {
                $error->attempts = $attempts;
            }
            if ($error->status === 'UNAUTHENTICATED' && $mayRenew) {
                $mayRenew = false;
                continue;
            }
            $isLast = $attempts >= ($this->retries?->attempts ?? 1);
            $wait = $isLast ? 0.0 : $this->retries->wait($attempts, $error->retryAfter);
            if ($isLast || !$error->mayBeRepeated() || microtime(true) + $wait >= $end) {
                throw $error;
            }
            usleep((int) ($wait * 1e6));
        }
    }

    /**
     * Opens a stream, which is not repeated. All requests are sent before an answer is read.
     *
     * @param iterable<Message> $requests
     */
    public function stream(
        string $path, iterable $requests, string $answer, array $options = [],
    ): Stream {
        $body = '';
        foreach ($requests as $request) {
            $bytes = $request->serializeToString();
            $body .= pack('CN', 0, strlen($bytes)) . $bytes;
        }
        $transfer = curl_init();
        $timeout = $options['timeout'] ?? null;
        $type = 'application/connect+proto';
        $this->prepare($transfer, $path, $type, $body, $timeout, $options);
        return new Stream($transfer, $answer);
    }

    /**
     * Each page of a list, from that of the request's token on. Only a missing token ends a list.
     *
     * @param callable(Message): Message $call
     */
    public static function pages(callable $call, Message $request): \Generator
    {
        $asked = clone $request;
        do {
            $page = $call($asked);
            yield $page;
            $asked->setPageToken($page->getNextPageToken());
        } while ($page->getNextPageToken() !== '');
    }

    /**
     * Follows changes, over lost streams too: a new one goes on with the last token.
     *
     * Keep the resume token of the last message that you are done with, and a later run goes on
     * there. It ends only by a refusal of the service.
     *
     * @param ?callable(CallError): void $onLost is called for each stream that was lost
     */
    public function changes(WatchRequest $request, ?callable $onLost = null): \Generator
    {
        $asked = clone $request;
        $asked->setHeartbeatMs((int) $asked->getHeartbeatMs() ?: self::HEARTBEAT_MS);
        $silence = max(
            self::SILENT_HEARTBEATS * $asked->getHeartbeatMs() / 1000, self::LEAST_SILENCE);
        $policy = $this->retries ?? new RetryPolicy();
        for ($failures = 0; ; ) {
            $stream = $this->change->watch($asked);
            try {
                while (($message = $stream->receive($silence)) !== null) {
                    $asked->setResumeToken($message->getResumeToken() ?: $asked->getResumeToken());
                    $failures = 0;
                    yield $message;
                }
                $error = new CallError('UNAVAILABLE', 'the stream ended');
            } catch (CallError $error) {
                if (!$error->endsAStreamOnly()) {
                    throw $error;
                }
            } finally {
                $stream->cancel();
            }
            $asked->setResumeToken($error->metadata['resume_token'] ?? $asked->getResumeToken());
            if ($onLost !== null) {
                $onLost($error);
            }
            usleep((int) ($policy->wait(++$failures, $error->retryAfter) * 1e6));
        }
    }

    /** Makes a call once, and returns the bytes of its answer. */
    private function attempt(string $path, string $body, float $timeout, array $options): string
    {
        $this->prepare($this->connection, $path, 'application/proto', $body, $timeout, $options);
        $answer = curl_exec($this->connection);
        $http = curl_getinfo($this->connection, CURLINFO_RESPONSE_CODE);
        return match (true) {
            $answer === false => throw CallError::ofCurl(curl_errno($this->connection)),
            $http !== 200 => throw CallError::ofBody($answer, $http),
            default => $answer,
        };
    }

    private function prepare(
        \CurlHandle $transfer, string $path, string $type, string $body, ?float $timeout,
        array $options,
    ): void {
        $milliseconds = $timeout === null ? 0 : max(1, (int) ceil($timeout * 1000));
        $credential = $this->credential instanceof \Closure ? ($this->credential)()
            : $this->credential;
        $headers = array_filter([
            'content-type' => $type,
            'connect-protocol-version' => '1',
            'connect-timeout-ms' => $milliseconds ? (string) $milliseconds : null,
            'authorization' => $credential,
            'x-app-id' => $this->appId === null ? null : (string) $this->appId,
            'user-agent' => 'relation-client-php/' . Services::VERSION,
            'expect' => '', // Curl waits for nothing before it sends a long body.
        ], fn (?string $value) => $value !== null);
        $headers = ($options['headers'] ?? []) + $headers;
        curl_reset($transfer);
        curl_setopt_array($transfer, [
            CURLOPT_URL => $this->base . $path,
            CURLOPT_HTTPHEADER => array_map(
                fn (string $key, string $value) => "$key: $value", array_keys($headers), $headers),
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_TIMEOUT_MS => $milliseconds,
            CURLOPT_RETURNTRANSFER => true,
        ] + ($this->authorities === null ? [] : [CURLOPT_CAINFO => $this->authorities]));
    }

    /** The request under an id of its own, unless it has one or is only tried. */
    private static function withRequestId(Message $request): Message
    {
        $options = $request->getOptions();
        if ($options !== null && ($options->getRequestId() !== '' || $options->getDryRun())) {
            return $request;
        }
        $options = $options === null ? new WriteOptions() : clone $options;
        $options->setRequestId(bin2hex(random_bytes(16)));
        return (clone $request)->setOptions($options);
    }
}
