<?php
// Adds a friend, lists two, and follows changes over broken streams: php faults.php ADDRESS

use Relation\Client\Client;
use Relation\V1\AddFriend;
use Relation\V1\AddFriendsRequest;
use Relation\V1\ListFriendsRequest;
use Relation\V1\WatchRequest;

$number = 0;
$credential = function () use (&$number): string {
    return Client::apiKey((string) ++$number);
};
$client = new Client($argv[1], credential: $credential, appId: 7);
$items = [new AddFriend(['user_id' => 'bob'])];
$request = new AddFriendsRequest(['user_id' => 'ann', 'items' => $items]);
$answer = $client->friend->addFriends($request);
echo 'applied ', json_encode($answer->getApplied()), "\n";
foreach ($client->friend->listFriendsAll(new ListFriendsRequest(['user_id' => 'ann'])) as $friend) {
    echo $friend->getUserId(), "\n";
}
foreach ($client->changes(new WatchRequest(['user_id' => 'ann'])) as $message) {
    echo $message->getResumeToken(), "\n";
    if ($message->getResumeToken() === 'token-3') {
        break;
    }
}
