<?php
// A hook that refuses texts with the word "spam": SECRET=whsec_… php -S 127.0.0.1:8080 veto.php
$key = base64_decode(substr(getenv('SECRET'), strlen('whsec_')));
$body = file_get_contents('php://input');
$head = "{$_SERVER['HTTP_WEBHOOK_ID']}.{$_SERVER['HTTP_WEBHOOK_TIMESTAMP']}.";
$mine = 'v1,' . base64_encode(hash_hmac('sha256', $head . $body, $key, true));
$given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
if (!array_filter($given, fn($one) => hash_equals($mine, $one))) {
    http_response_code(401);
    return;
}
$refused = [];
foreach (json_decode($body, true, 64, JSON_THROW_ON_ERROR)['data']['items'] as $index => $item) {
    if (preg_grep('/spam/', $item['texts'])) {
        $refused[] = ['index' => $index, 'code' => 38001, 'info' => 'no spam'];
    }
}
header('content-type: application/json');
echo json_encode(['items' => $refused]);
