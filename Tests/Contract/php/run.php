<?php
// Runs the cases of Tests/Contract, as the makefile says: php … run.php ADDRESS [CALL]

declare(strict_types=1);

const CAN = ['serverStream', 'cancel', 'deadline', 'unknownFields']; // README.md says why no more.
spl_autoload_register(fn (string $class) => include str_replace('\\', '/', $class) . '.php');

function message(string $name): Google\Protobuf\Internal\Message
{
    return new ("Relation\\V1\\$name")();
}

/** What a call answered, in the form in which a step expects it. */
function outcome(string $name, callable $receive): array
{
    $tree = fn (object $message) => json_decode($message->serializeToJsonString(), true);
    try {
        $bytes = $receive();
        if ($bytes === null) {
            return ['end' => true];
        }
        $message = message($name);
        $message->mergeFromString($bytes);
        return ['answer' => $tree($message)];
    } catch (CallFailed $failure) {
        $all = array_map($tree, $failure->details());
        $fields = $all['google.rpc.BadRequest']['fieldViolations'] ?? [];
        $info = $all['google.rpc.ErrorInfo'] ?? ['domain' => null];
        $info = $info['domain'] === 'relation.v1' ? $info : [];
        return ['error' => array_filter([
            'status' => $failure->status,
            'reason' => $info['reason'] ?? null,
            'metadata' => $info['metadata'] ?? null,
            'fields' => array_column($fields, 'field'),
            'retry' => isset($all['google.rpc.RetryInfo']),
        ])];
    } catch (Google\Protobuf\Internal\GPBDecodeException $error) {
        return ['error' => ['status' => 'not in the contract: ' . $error->getMessage()]];
    }
}

/** A value of a case with its variables put in. */
function expand(mixed $value, array $names): mixed
{
    if (!is_array($value)) {
        $variable = fn (array $found) => $names[$found[1]];
        $text = is_string($value);
        return $text ? preg_replace_callback('/\$\{(\w+)\}/', $variable, $value) : $value;
    }
    if (isset($value['$repeat'])) {
        $one = fn (int $index) => expand($value['$repeat'], ['index' => (string) $index] + $names);
        $made = array_map($one, range(0, $value['times'] - 1));
        return is_string($value['$repeat']) ? implode($made) : array_merge(...$made);
    }
    $made = [];
    foreach ($value as $key => $item) {
        $made[expand((string) $key, $names)] = expand($item, $names);
    }
    return $made;
}

/** The first difference in words, or null. Saves the values that `$save` names. */
function difference(mixed $expected, mixed $came, array &$names, string $path = ''): ?string
{
    $matcher = is_array($expected) && count($expected) === 1 ? key($expected) : null;
    $inner = $matcher === null ? null : $expected[$matcher];
    $array = isset($came[0]) ? 'list' : 'object';
    $kinds = ['string' => 'string', 'integer' => 'number', 'array' => $array];
    if ($matcher === '$save' && $came !== null) {
        $names[$inner] = (string) $came;
        return null;
    }
    if ($matcher === '$any' && $inner === ($kinds[gettype($came)] ?? null)) {
        return null;
    }
    if (!is_array($expected) || !is_array($came) || in_array($matcher, ['$save', '$any'], true)) {
        return $expected === $came ? null
            : "$path: expected " . json_encode($expected) . ', came ' . json_encode($came);
    }
    if ($matcher === '$has' && $inner !== [] && array_is_list($inner)) {
        foreach ($inner as $item) {
            foreach ($came as $one) {
                if (difference($item, $one, $names) === null) {
                    continue 2;
                }
            }
            return "$path: expected " . json_encode($item) . ' among ' . json_encode($came);
        }
        return null;
    }
    [$expected, $all] = $matcher === '$has' ? [$inner, $inner] : [$expected, $came + $expected];
    $wrong = null;
    foreach (array_keys($all) as $key) {
        $wrong ??= difference($expected[$key] ?? null, $came[$key] ?? null, $names, "$path.$key");
    }
    return $wrong;
}

/** One run of a case, with users and an app of its own. */
final class Run
{
    private array $names = [], $streams = [];

    public function __construct(private readonly string $server) {}

    /** Does all steps of a case, and returns what was wrong, or null. */
    public function run(array $case): ?string
    {
        $this->names['run'] = bin2hex(random_bytes(5));
        foreach ([...$case['users'] ?? [], ...$case['unknown'] ?? []] as $name) {
            $this->names[$name] = "$name-{$this->names['run']}";
        }
        $made = ['answer' => ['$has' => ['app' => ['$has' => ['appId' => ['$save' => 'app']]]]]];
        $app = ['call' => 'AppService/CreateApp', 'request' => $case['app'] ?? []] + $made;
        $steps = isset($case['app']) ? [$app] : [];
        $applied = ['answer' => ['$has' => ['applied' => true]]];
        foreach ($case['users'] ?? [] as $name) {
            $user = ['userId' => $this->names[$name]];
            $request = $user + ['profile' => ['gender' => 0], 'updateMask' => 'gender'];
            $steps[] = ['call' => 'ProfileService/UpdateProfile', 'request' => $request] + $applied;
        }
        $wrong = null;
        foreach ([...$steps, ...$case['steps']] as $step) {
            for ($index = 0; $index < ($step['times'] ?? 1); $index++) {
                $this->names['index'] = (string) $index;
                $wrong ??= $this->check(expand($step, $this->names));
            }
        }
        return $wrong;
    }

    /** Does a step until it is answered as expected or may not be repeated; the difference. */
    private function check(array $step): ?string
    {
        $end = microtime(true) + ($step['retryForMs'] ?? 0) / 1000;
        $expected = array_intersect_key($step, ['answer' => 1, 'error' => 1, 'end' => 1]);
        do {
            $wrong = difference($expected, $came = $this->step($step), $this->names);
        } while ($wrong && (isset($step['skipping'], $came['answer']) || microtime(true) < $end));
        return $wrong;
    }

    /** Does one step, and returns what came. */
    private function step(array $step): array
    {
        if ($path = $step['call'] ?? $step['open'] ?? null) {
            $name = basename($path);
            $request = message("{$name}Request");
            $request->mergeFromJsonString(json_encode($step['request']));
            $bytes = $request->serializeToString() . hex2bin($step['extra'] ?? '');
            $app = isset($this->names['app']) ? ['x-app-id' => $this->names['app']] : [];
            $options = [($step['metadata'] ?? []) + $app, $step['timeoutMs'] ?? 20000];
            $call = new Call($this->server, "relation.v1.$path", [$bytes], ...$options);
            if (isset($step['call'])) {
                return outcome("{$name}Response", $call->answer(...));
            }
            $this->streams[$step['stream']] = [$name, $call];
        } elseif ($stream = $step['receive'] ?? null) {
            [$name, $call] = $this->streams[$stream];
            return outcome("{$name}Response", $call->receive(...));
        } elseif ($stream = $step['cancel'] ?? null) {
            $this->streams[$stream][1]->cancel();
        } elseif ($name = $step['decode'] ?? null) {
            $message = message($name);
            $message->mergeFromString($bytes = hex2bin($step['bytes']));
            $same = !isset($step['again']) || $message->serializeToString() === $bytes;
            return $same ? outcome($name, fn () => $bytes) : ['error' => ['status' => 'DATA_LOSS']];
        }
        return [];
    }

    public function end(): void
    {
        array_map(fn (array $stream) => $stream[1]->cancel(), $this->streams);
        if ($app = $this->names['app'] ?? null) {
            $this->step(['call' => 'AppService/DeleteApp', 'request' => ['appId' => $app]]);
        }
    }
}

[, $server, $only] = $argv + [2 => '*'];
[$passed, $failed, $skipped] = [0, 0, 0];
foreach (glob(__DIR__ . "/../cases/*/$only.json") as $file) {
    foreach (json_decode(file_get_contents($file), true)['cases'] as $case) {
        $title = basename(dirname($file)) . '/' . basename($file, '.json') . ": {$case['name']}";
        if ($missing = array_diff($case['needs'] ?? [], CAN)) {
            echo "skipped: $title: needs " . implode(', ', $missing) . "\n";
            $skipped++;
            continue;
        }
        $run = new Run($server);
        $wrong = $run->run($case);
        $run->end();
        echo $wrong ? "$title: " . ltrim($wrong, '.') . "\n" : '';
        $wrong ? $failed++ : $passed++;
    }
}
echo "$passed cases passed, $failed failed" . ($skipped ? ", $skipped skipped\n" : "\n");
exit($passed && !$failed ? 0 : 1);
