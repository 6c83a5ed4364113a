<?php

declare(strict_types=1);

/** A call ended with another status than OK. */
final class CallFailed extends RuntimeException
{
    public const STATUSES = [
        'OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND',
        'ALREADY_EXISTS', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION',
        'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS',
        'UNAUTHENTICATED',
    ];

    /** @param string $details an encoded `google.rpc.Status`, or nothing */
    public function __construct(
        public readonly string $status,
        string $message,
        private readonly string $details = '',
    ) {
        parent::__construct($message);
    }

    /** The details by the names of their types, such as `google.rpc.ErrorInfo`. */
    public function details(): array
    {
        $status = new Google\Rpc\Status();
        $status->mergeFromString($this->details);
        $details = [];
        foreach ($status->getDetails() as $any) {
            $details[basename($any->getTypeUrl())] = $any->unpack();
        }
        return $details;
    }
}
