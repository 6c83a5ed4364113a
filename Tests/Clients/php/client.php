<?php

declare(strict_types=1);

use Relation\Client\CallError;
use Relation\Client\Client;
use Relation\Client\Stream;

/** Bytes of a request that a message need not have. */
final class Bytes extends Google\Protobuf\Internal\Message
{
    public function __construct(private readonly string $bytes) {}

    public function serializeToString(): string
    {
        return $this->bytes;
    }
}

/** An answer as its bytes, which the runner decodes. */
final class Answer extends Google\Protobuf\Internal\Message
{
    public string $bytes = '';

    public function __construct() {}

    public function mergeFromString($data)
    {
        $this->bytes = $data;
    }
}

/** An error in the form in which Tests/Contract/php/run.php reads one. */
final class CallFailed extends Exception
{
    public function __construct(public readonly string $status, private readonly CallError $error)
    {
        parent::__construct($error->getMessage());
    }

    public function details(): array
    {
        $made = [];
        if ($this->error->reason !== '') {
            $info = ['domain' => 'relation.v1', 'reason' => $this->error->reason];
            $metadata = $this->error->metadata;
            $made['google.rpc.ErrorInfo'] = $info + ($metadata ? ['metadata' => $metadata] : []);
        }
        if ($this->error->fields) {
            $one = fn (string $field) => ['field' => $field];
            $fields = array_map($one, array_keys($this->error->fields));
            $made['google.rpc.BadRequest'] = ['fieldViolations' => $fields];
        }
        if ($this->error->retryAfter !== null) {
            $made['google.rpc.RetryInfo'] = new stdClass();
        }
        return array_map(fn ($value) => new Detail(json_encode($value)), $made);
    }
}

final class Detail
{
    public function __construct(private readonly string $json) {}

    public function serializeToJsonString(): string
    {
        return $this->json;
    }
}

/** A call of the installed client in the form in which the runner makes one. */
final class Call
{
    private static array $clients = [];
    private readonly Client $client;
    private readonly ?Stream $stream;
    private readonly array $arguments;

    public function __construct(
        string $server, string $path, array $requests, array $metadata = [],
        int $milliseconds = 10000,
    ) {
        // Cases look at the first answer.
        $this->client = self::$clients[$server] ??= new Client($server, retries: null);
        $requests = array_map(fn (string $bytes) => new Bytes($bytes), $requests);
        $options = ['headers' => $metadata, 'timeout' => $milliseconds / 1000];
        $streams = 'Watch|ExportApp|ExportUser|CheckIntegrity|CreateBackup|ReadBackup';
        $isStream = preg_match("#/($streams)$#", $path);
        $this->arguments = ["/$path", $requests[0], Answer::class, false, $options];
        $this->stream = $isStream
            ? $this->client->stream("/$path", $requests, Answer::class, $options) : null;
    }

    public function answer(): string
    {
        return $this->checked(fn () => $this->client->call(...$this->arguments))->bytes;
    }

    public function receive(): ?string
    {
        return $this->checked(fn () => $this->stream->receive())?->bytes;
    }

    public function cancel(): void
    {
        $this->stream?->cancel();
    }

    private function checked(callable $read): ?Answer
    {
        try {
            return $read();
        } catch (CallError $error) {
            throw new CallFailed($error->status, $error);
        }
    }
}
