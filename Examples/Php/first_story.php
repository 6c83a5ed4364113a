#!/usr/bin/env php
<?php
// A first story with the relation-chain service: friends, a refusal, a block, and a change.
//
// Debian has no gRPC for PHP, so calls go by curl: see Call.php. Where the `grpc` extension can be
// had, protoc's plug-in for it makes a client for each service, and takes the place of `Api`.

declare(strict_types=1);

use Google\Protobuf\Internal\Message;
use Relation\V1;

const ANNA = 'example-anna';
const BEN = 'example-ben';
const CARL = 'example-carl';
const UNKNOWN = 'example-unknown'; // An id that is not an account.

// Composer's vendor/autoload.php takes the place of these lines.
set_include_path(implode(PATH_SEPARATOR, [__DIR__, __DIR__ . '/generated', get_include_path()]));
spl_autoload_register(fn (string $class) => include str_replace('\\', '/', $class) . '.php');

/** The calls of the service, whose requests and answers are generated messages. */
final class Api
{
    public function __construct(private readonly string $server) {}

    /** A call that has one answer: a message `AddFriendsResponse` for an `AddFriendsRequest`. */
    public function call(string $service, Message $request): Message
    {
        return $this->decoded($request, $this->start($service, [$request])->answer());
    }

    /** @return Generator<Message> the answers, as they come */
    public function stream(string $service, array $requests): Generator
    {
        $call = $this->start($service, $requests);
        try {
            while (($bytes = $call->receive()) !== null) {
                yield $this->decoded($requests[0], $bytes);
            }
        } finally {
            $call->cancel(); // The reader of a stream may leave it before its end.
        }
    }

    private function start(string $service, array $requests): Call
    {
        $name = basename(strtr($requests[0]::class, '\\', '/'), 'Request');
        $bytes = array_map(fn (Message $request) => $request->serializeToString(), $requests);
        return new Call($this->server, "relation.v1.$service/$name", $bytes);
    }

    private function decoded(Message $request, string $bytes): Message
    {
        $answer = new (preg_replace('/Request$/', 'Response', $request::class))();
        $answer->mergeFromString($bytes);
        return $answer;
    }
}

// An import leaves accounts that exist as they are, so it may be repeated.
function makeAccounts(Api $api): void
{
    // All rows are sent before an answer is read. Split a long import by its `import_id`.
    $rows = array_map(fn (string $user) => new V1\ImportAccountsRequest([
        'row' => new V1\AccountRow(['user_id' => $user]),
    ]), [ANNA, BEN, CARL]);
    [$existed, $last] = [0, new V1\ImportProgress()];
    foreach ($api->stream('AccountService', $rows) as $answer) {
        if ($answer->hasProgress()) {
            $last = $answer->getProgress();
        } elseif ($answer->getRow()?->getReason() === V1\Reason::REASON_EXISTED) {
            $existed++; // A row has an answer only if it was refused or has something to say.
        }
    }
    $counts = [$last->getAccepted(), $existed, $last->getRefused()];
    vprintf("accounts: %d taken, %d existed, %d refused\n", $counts);
}

// The call answers OK, and each user has a result code of its own.
function addFriends(Api $api): void
{
    $request = new V1\AddFriendsRequest(['user_id' => ANNA, 'items' => array_map(
        fn (string $user) => new V1\AddFriend(['user_id' => $user, 'source' => 'Web']),
        [BEN, CARL, UNKNOWN],
    )]);
    foreach ($api->call('FriendService', $request)->getResults() as $result) {
        $already = $result->getReason() === V1\Reason::REASON_SNS_FRIEND_ADD_FRIEND_EXIST;
        $words = match ($result->getCode()) {
            V1\FriendStatus::FRIEND_STATUS_SUCC => 'a friend now',
            V1\FriendStatus::FRIEND_STATUS_PENDING => 'asked, and waits for an answer',
            default => $already ? 'a friend already' : V1\FriendStatus::name($result->getCode()),
        };
        echo "add {$result->getUserId()}: $words\n";
    }
}

// Only a missing token ends a list: a page may be shorter than was asked.
function listFriends(Api $api): void
{
    $request = new V1\ListFriendsRequest(['user_id' => ANNA, 'page_size' => 1]);
    do {
        $page = $api->call('FriendService', $request);
        echo 'page:';
        foreach ($page->getFriends() as $friend) {
            echo " {$friend->getUserId()}";
        }
        echo "\n";
        $request->setPageToken($page->getNextPageToken());
    } while ($request->getPageToken() !== '');
}

function checkRelations(Api $api): void
{
    $request = new V1\GetRelationsRequest(['user_id' => ANNA, 'user_ids' => [BEN, UNKNOWN]]);
    foreach ($api->call('FriendService', $request)->getResults() as $card) {
        $name = $card->getCode() === V1\FriendStatus::FRIEND_STATUS_SUCC
            ? V1\FriendRelation::name($card->getRelation())
            : V1\FriendStatus::name($card->getCode());
        echo "check {$card->getUserId()}: $name\n";
    }
}

// A call that fails as a whole says why in google.rpc.Status, which its trailers carry.
function readRefusal(Api $api): void
{
    try {
        $api->call('FriendService', new V1\ListFriendsRequest(['user_id' => UNKNOWN]));
    } catch (CallFailed $failure) {
        $info = $failure->details()['google.rpc.ErrorInfo'] ?? throw $failure;
        echo "refused: {$info->getReason()}\n";
    }
}

// Reads a stream of changes up to the first message that is the right one.
function watch(Api $api, V1\WatchRequest $request, callable $right): V1\WatchResponse
{
    foreach ($api->stream('ChangeService', [$request]) as $message) {
        if ($right($message)) {
            return $message;
        }
    }
    throw new CallFailed('UNAVAILABLE', 'the server ended the stream');
}

// Takes the place that Anna's changes have come to, blocks Carl, and goes on from there.
function blockAndWatch(Api $api): void
{
    $kinds = [V1\ChangeKind::CHANGE_KIND_ADD_BLACKLIST];
    $request = new V1\WatchRequest(['user_id' => ANNA, 'kinds' => $kinds]);
    // A stream without a token begins with the present state; the first token comes at its end.
    $hasToken = fn (V1\WatchResponse $message) => $message->getResumeToken() !== '';
    $request->setResumeToken(watch($api, $request, $hasToken)->getResumeToken());
    $block = new V1\AddToBlacklistRequest(['user_id' => ANNA, 'user_ids' => [CARL]]);
    foreach ($api->call('BlacklistService', $block)->getResults() as $result) {
        echo "block {$result->getUserId()}: ", V1\FriendStatus::name($result->getCode()), "\n";
    }
    // No change between the two streams is missed. Keep the last token of every stream.
    $hasEvent = fn (V1\WatchResponse $message) => $message->hasEvent();
    $event = watch($api, $request, $hasEvent)->getEvent();
    echo 'event: ', V1\ChangeKind::name($event->getKind());
    foreach ($event->getItems() as $item) {
        echo " {$item->getUserId()}";
    }
    echo "\n";
}

$server = $argv[1] ?? (getenv('RELATION_SERVER') ?: '127.0.0.1:7450');
$api = new Api($server);
try {
    makeAccounts($api);
    // An earlier run has blocked Carl, and a user on the blacklist cannot be added.
    $unblock = new V1\RemoveFromBlacklistRequest(['user_id' => ANNA, 'user_ids' => [CARL]]);
    $api->call('BlacklistService', $unblock);
    addFriends($api);
    listFriends($api);
    checkRelations($api);
    readRefusal($api);
    blockAndWatch($api);
} catch (CallFailed $failure) {
    fwrite(STDERR, "$server: {$failure->getMessage()}\n");
    exit(1);
}
