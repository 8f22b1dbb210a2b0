<?php

declare(strict_types=1);

/* Prints a class with a method for each operation of a description of the API:
 *   svc openapi > svc.json && php generate.php svc.json > Operations.php
 * Types are those of PHPStan and Psalm. */

$document = json_decode(file_get_contents($argv[1]), true, flags: JSON_THROW_ON_ERROR);

/** What a reference names. */
function resolved(array $schema): array
{
    global $document;
    while (isset($schema['$ref'])) {
        $at = $document;
        foreach (explode('/', substr($schema['$ref'], 2)) as $part) {
            $at = $at[$part];
        }
        $schema = $at;
    }
    return $schema;
}

/** A schema as a type. */
function type(array $schema, int $depth = 0): string
{
    $schema = resolved($schema);
    foreach (['anyOf', 'oneOf'] as $choice) {
        if (isset($schema[$choice])) {
            return implode('|', array_unique(array_map(fn ($one) => type($one, $depth), $schema[$choice])));
        }
    }
    if (isset($schema['enum'])) {
        return implode('|', array_map(fn ($word) => $word === null ? 'null' : var_export($word, true), $schema['enum']));
    }
    $names = (array) ($schema['type'] ?? 'mixed');
    return implode('|', array_map(fn ($name) => match ($name) {
        'integer' => 'int',
        'number' => 'int|float',
        'boolean' => 'bool',
        'array' => 'list<' . type($schema['items'] ?? [], $depth + 1) . '>',
        'object' => shape($schema, $depth),
        default => $name,
    }, $names));
}

/** An object with the fields that it may have. */
function shape(array $schema, int $depth): string
{
    $fields = $schema['properties'] ?? [];
    if ($fields === [] || $depth > 4) {
        return 'array<string, mixed>';
    }
    $required = $schema['required'] ?? [];
    $typed = fn ($name, $field) => $name . (in_array($name, $required, true) ? '' : '?') . ': ' . type($field, $depth + 1);
    return 'array{' . implode(', ', array_map($typed, array_keys($fields), $fields)) . '}';
}

/** A text as lines of a comment. */
function comment(string ...$lines): string
{
    $lines = array_map(fn ($line) => rtrim('     * ' . str_replace('*/', '* /', $line)), $lines);
    return "    /**\n" . implode("\n", $lines) . "\n     */\n";
}

function method(string $path, string $verb, array $operation): string
{
    $parameters = array_map(resolved(...), $operation['parameters'] ?? []);
    $in = fn ($where) => array_values(array_filter($parameters, fn ($parameter) => $parameter['in'] === $where));
    $notes = [rtrim($operation['summary'], '.') . '.', ''];
    $arguments = [];
    foreach ($in('path') as $parameter) {
        $arguments[] = "int|string \${$parameter['name']}";
        $path = str_replace("{{$parameter['name']}}", "' . rawurlencode((string) \${$parameter['name']}) . '", $path);
    }
    $body = resolved($operation['requestBody'] ?? [])['content']['application/json']['schema'] ?? null;
    if ($body !== null) {
        $notes[] = '@param ' . type($body) . ' $body';
        $arguments[] = 'array $body';
    }
    $success = [];
    foreach ($operation['responses'] as $status => $answer) {
        if ($status < 300) {
            $success = resolved($answer)['content'] ?? [];
            break;
        }
    }
    $page = resolved($success['application/json']['schema'] ?? []);
    $is_list = isset($page['properties']['datos'], $page['properties']['siguiente']);
    $query = array_filter($in('query'), fn ($parameter) => !($is_list && $parameter['name'] === 'cursor'));
    if ($query !== []) {
        $optional = array_filter($query, fn ($parameter) => $parameter['required'] ?? false) === [];
        $filters = array_map(
            fn ($one) => $one['name'] . ($one['required'] ?? false ? '' : '?') . ': ' . type($one['schema']),
            $query,
        );
        $notes[] = '@param array{' . implode(', ', $filters) . '} $filters';
        $arguments[] = 'array $filters' . ($optional ? ' = []' : '');
    }
    $filters = $query === [] ? '[]' : '$filters';
    $at = preg_replace("/ \. ''$/", '', "'$path'");
    $name = $operation['operationId'];
    if ($is_list) {
        $notes[] = '@return Generator<int, ' . type($page['properties']['datos']['items']) . '>';
        $does = "return \$this->records($at, $filters);";
        $returns = 'Generator';
    } else {
        $is_json = isset($success['application/json']);
        $verb = strtoupper($verb);
        if ($verb !== 'GET') {
            $notes[] = '@param array<string, string> $headers such as an Idempotency-Key to be used';
            $arguments[] = 'array $headers = []';
        }
        $notes[] = '@return ' . ($is_json ? type($page) : 'string the file');
        $headers = $verb === 'GET' ? '[]' : '$headers';
        $does = "return \$this->request('$verb', $at, $filters, " . ($body === null ? 'null' : '$body') . ", $headers);";
        $returns = $is_json ? 'array' : 'string';
    }
    $arguments = implode(', ', $arguments);
    return comment(...$notes) . "    public function $name($arguments): $returns\n    {\n        $does\n    }\n";
}

$methods = [];
foreach ($document['paths'] as $path => $item) {
    foreach (['get', 'post', 'put', 'delete'] as $verb) {
        if (isset($item[$verb]['operationId'])) {
            $methods[] = method($path, $verb, $item[$verb]);
        }
    }
}
echo "<?php\n\ndeclare(strict_types=1);\n\nrequire_once __DIR__ . '/Svc.php';\n\n";
echo "/** The operations of {$document['info']['title']}, as methods. */\nfinal class Operations extends Svc\n{\n";
echo implode("\n", $methods), "}\n";
