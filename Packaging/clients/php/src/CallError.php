<?php

declare(strict_types=1);

namespace Relation\Client;

use Relation\V1\ErrorReason;

/** A call that failed as a whole. The outcome of an item is in the answer, not here. */
final class CallError extends \RuntimeException
{
    private const DOMAIN = 'relation.v1';
    // Codes after which a stream of changes goes on: some are the words of proxies.
    private const PASSING = [
        'UNAVAILABLE', 'ABORTED', 'CANCELLED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED',
    ];

    /** The reason as a text, such as `USER_NOT_FOUND`; empty if the service gave none. */
    public readonly string $reason;
    /** @var array<string, string> the metadata of the reason, such as `limit` and `actual` */
    public readonly array $metadata;
    /** @var array<string, string> each invalid field of the request, with its rule */
    public readonly array $fields;
    /** The seconds after which the server asks to try again. */
    public readonly ?float $retryAfter;
    /** How often the call was made. */
    public int $attempts = 1;

    /**
     * @param string $status the code of gRPC by its name, such as `NOT_FOUND`
     * @param array $details those of an error of Connect
     */
    public function __construct(
        public readonly string $status,
        string $message,
        array $details = [],
    ) {
        parent::__construct($message);
        $pair = fn (array $one) => [$one['type'] ?? '', $one['debug'] ?? []];
        $all = array_column(array_map($pair, $details), 1, 0);
        $info = $all['google.rpc.ErrorInfo'] ?? [];
        $isOurs = ($info['domain'] ?? '') === self::DOMAIN;
        $this->reason = $isOurs ? $info['reason'] : '';
        $this->metadata = $isOurs ? $info['metadata'] ?? [] : [];
        $violations = $all['google.rpc.BadRequest']['fieldViolations'] ?? [];
        $this->fields = array_column($violations, 'description', 'field');
        $retry = $all['google.rpc.RetryInfo'] ?? null;
        $this->retryAfter = $retry === null ? null : (float) ($retry['retryDelay'] ?? 0);
    }

    /** The error of a body of Connect, or of an answer of HTTP that is not Connect's. */
    public static function ofBody(string $body, int $http = 200): self
    {
        $error = json_decode($body, true);
        if (is_string($error['code'] ?? null)) {
            $status = str_replace('CANCELED', 'CANCELLED', strtoupper($error['code']));
            return new self($status, $error['message'] ?? '', $error['details'] ?? []);
        }
        $passes = $http >= 500 || in_array($http, [408, 425, 429], true);
        return new self($passes ? 'UNAVAILABLE' : 'UNKNOWN', "HTTP $http");
    }

    /** The error of a transfer that curl could not make. */
    public static function ofCurl(int $result): self
    {
        $isLate = $result === CURLE_OPERATION_TIMEDOUT;
        return new self($isLate ? 'DEADLINE_EXCEEDED' : 'UNAVAILABLE', curl_strerror($result));
    }

    /** The reason as a number of the contract's enum; UNSPECIFIED if it is a newer one. */
    public function errorReason(): int
    {
        $name = ErrorReason::class . '::ERROR_REASON_' . $this->reason;
        return defined($name) ? constant($name) : ErrorReason::ERROR_REASON_UNSPECIFIED;
    }

    /** Whether the same call may succeed later, if it does no harm to make it twice. */
    public function mayBeRepeated(): bool
    {
        return match ($this->status) {
            'UNAVAILABLE' => $this->reason !== 'BEHIND',
            'RESOURCE_EXHAUSTED' => $this->retryAfter !== null,
            default => in_array($this->reason, ['OUTCOME_UNKNOWN', 'CONFLICT'], true),
        };
    }

    /** Whether another stream of changes may go on after the one that ended so. */
    public function endsAStreamOnly(): bool
    {
        return in_array($this->status, self::PASSING, true) ? $this->reason !== 'READER_FENCED'
            : $this->reason === '' && in_array($this->status, ['UNKNOWN', 'INTERNAL'], true);
    }
}
