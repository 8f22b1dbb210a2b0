<?php

declare(strict_types=1);

require_once __DIR__ . '/../webhooks/verify.php';

/** An error that the API answered; support asks for its $peticion. */
final class SvcError extends RuntimeException
{
    public function __construct(
        public readonly int $status,
        public readonly string $codigo,
        public readonly string $mensaje,
        public readonly string $peticion,
    ) {
        parent::__construct("$codigo: $mensaje ($peticion)", $status);
    }
}

/**
 * What every client of svc wants: requests that are sent again when that is safe, an Idempotency-Key for every write,
 * the records of a list over all its pages, notices that are genuine. Operations.php, generated from the description of
 * the API (`svc openapi > svc.json && php generate.php svc.json > Operations.php`), has a method for each operation.
 * It needs nothing but PHP 8.2 with its streams.
 */
class Svc
{
    /** Statuses that say nothing of the request itself: limits, failures of the service, and whatever is between. */
    private const PASSING = [429, 500, 502, 503, 504];

    private readonly string $baseUrl;
    private readonly string $keyId;
    private readonly string $apiKey;

    /**
     * A client of the API at that address, by default as `svc demo` prints it. A request is sent $attempts times at
     * most; an answer that asks to wait for more than $patience seconds is given.
     */
    public function __construct(
        ?string $baseUrl = null,
        ?string $keyId = null,
        #[SensitiveParameter] ?string $apiKey = null,
        private readonly int $attempts = 5,
        private readonly float $patience = 60,
        private readonly float $timeout = 30,
    ) {
        $this->baseUrl = rtrim($baseUrl ?? (string) getenv('SVC_BASE_URL'), '/');
        $this->keyId = $keyId ?? (string) getenv('SVC_KEY_ID');
        $this->apiKey = $apiKey ?? (string) getenv('SVC_API_KEY');
    }

    /**
     * Sends a request until it has an answer that another attempt would not change, and gives what it holds: an array
     * of JSON, or the bytes of a file. All attempts at a write have the same Idempotency-Key, so it is done once.
     *
     * @param array<string, scalar|null> $query filters; null leaves one out
     * @param array<string, mixed>|null $body the body of a write
     * @param array<string, string> $headers further headers, such as an Idempotency-Key to be used
     * @return array<string, mixed>|string
     * @throws SvcError if the API answers an error
     */
    public function request(
        string $method,
        string $path,
        array $query = [],
        ?array $body = null,
        array $headers = [],
    ): array|string {
        $headers = array_change_key_case($headers) + [
            'authorization' => "Bearer $this->apiKey",
            'x-svc-key-id' => $this->keyId,
            'accept-encoding' => 'identity',
        ];
        if (!in_array($method, ['GET', 'HEAD'], true)) {
            $headers += ['idempotency-key' => bin2hex(random_bytes(16))];
        }
        $content = null;
        if ($body !== null) {
            $headers['content-type'] = 'application/json';
            $content = json_encode($body === [] ? new stdClass() : $body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
        }
        $query = array_map(fn ($value) => is_bool($value) ? ($value ? 'true' : 'false') : $value, $query);
        $query = http_build_query(array_filter($query, fn ($value) => $value !== null));
        $url = $this->baseUrl . $path . ($query === '' ? '' : "?$query");
        for ($attempt = 1; ; $attempt++) {
            [$status, $answered, $text] = $this->send($method, $url, $headers, $content);
            $is_last = $attempt >= $this->attempts;
            if ($status === 0 && $is_last) {
                throw new RuntimeException("no answer from $this->baseUrl: $text");
            }
            if ($status !== 0 && !self::isPassing($status, $text)) {
                return self::given($status, $answered, $text);
            }
            $asked = $answered['retry-after'] ?? '';
            $wait = ctype_digit($asked) ? (float) $asked : lcg_value() * min($this->patience, 2 ** $attempt / 2);
            if ($status !== 0 && ($is_last || $wait > $this->patience)) {
                return self::given($status, $answered, $text);
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    /**
     * Every record of a list, page by page, as they are asked for.
     *
     * @param array<string, scalar|null> $filters
     * @return Generator<int, array<string, mixed>>
     */
    public function records(string $path, array $filters = []): Generator
    {
        $cursor = null;
        do {
            $page = $this->request('GET', $path, ['cursor' => $cursor] + $filters);
            foreach ($page['datos'] as $record) {
                yield $record;
            }
            $cursor = $page['siguiente'] ?? null;
            // The list of events gives a cursor at its end too, for what happens later.
        } while ($page['hay_mas']);
    }

    /**
     * The notice in a raw body if its X-Svc-Firma is genuine and at most five minutes old. Notices may come more than
     * once: recognise them by their id.
     *
     * @return array<string, mixed>|null
     */
    public static function notice(?string $signature, string $body, #[SensitiveParameter] string $secret): ?array
    {
        $is_genuine = $signature !== null && verify($signature, $body, $secret);
        return $is_genuine ? json_decode($body, true, flags: JSON_THROW_ON_ERROR) : null;
    }

    /**
     * One attempt: status, headers by their names in lower case, body. Status 0 is that no answer came.
     *
     * @param array<string, string> $headers
     * @return array{int, array<string, string>, string}
     */
    private function send(string $method, string $url, array $headers, ?string $content): array
    {
        $lines = array_map(fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
        $options = [
            'method' => $method,
            'header' => [...$lines, 'connection: close'],
            'content' => $content ?? '',
            'ignore_errors' => true,
            'follow_location' => 0,
            'protocol_version' => 1.1,
            'timeout' => $this->timeout,
        ];
        $stream = @fopen($url, 'r', context: stream_context_create(['http' => $options]));
        if ($stream === false) {
            return [0, [], error_get_last()['message'] ?? ''];
        }
        $head = stream_get_meta_data($stream)['wrapper_data'] ?? [];
        $text = stream_get_contents($stream);
        $is_cut = stream_get_meta_data($stream)['timed_out'] || $text === false;
        fclose($stream);
        $answered = [];
        foreach (array_slice($head, 1) as $line) {
            [$name, $value] = array_pad(explode(':', $line, 2), 2, '');
            $answered[strtolower(trim($name))] = trim($value);
        }
        // A body that ends before its announced length is no answer.
        $is_cut = $is_cut || strlen($text) < (int) ($answered['content-length'] ?? 0) && $method !== 'HEAD';
        return $is_cut ? [0, [], 'the answer was cut'] : [(int) explode(' ', $head[0] . '  ')[1], $answered, $text];
    }

    /** Whether a later attempt may be answered otherwise; so while an earlier one with its key is under way. */
    private static function isPassing(int $status, string $text): bool
    {
        $codigo = $status === 409 ? json_decode($text, true)['error']['codigo'] ?? '' : '';
        return in_array($status, self::PASSING, true) || $codigo === 'idempotencia_en_curso';
    }

    /**
     * @param array<string, string> $headers
     * @return array<string, mixed>|string
     */
    private static function given(int $status, array $headers, string $text): array|string
    {
        if ($status >= 200 && $status < 300) {
            $is_json = str_starts_with($headers['content-type'] ?? '', 'application/json');
            return $is_json ? json_decode($text, true, flags: JSON_THROW_ON_ERROR) : $text;
        }
        $error = json_decode($text, true)['error'] ?? [];
        throw new SvcError($status, $error['codigo'] ?? '', $error['mensaje'] ?? '', $error['peticion'] ?? '');
    }
}
