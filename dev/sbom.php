<?php
/*
 * What a release consists of, as SPDX 2.3: php dev/sbom.php VERSION DIRECTORY
 *
 * Each archive of the DIRECTORY with its checksum; hiredis, which the binaries have linked in; and OpenSSL, which they
 * take as the system has it.
 */
[, $version, $directory] = $argv;
$home = 'https://example.org/rlock';

function package(string $id, string $name, ?string $version, string $license, array $more = []): array
{
    return ['SPDXID' => "SPDXRef-$id", 'name' => $name] + ($version ? ['versionInfo' => $version] : [])
        + ['downloadLocation' => 'NOASSERTION', 'licenseConcluded' => $license, 'licenseDeclared' => $license,
            'copyrightText' => 'NOASSERTION', 'filesAnalyzed' => false] + $more;
}

function relation(string $from, string $kind, string $to): array
{
    return ['spdxElementId' => "SPDXRef-$from", 'relationshipType' => $kind, 'relatedSpdxElement' => "SPDXRef-$to"];
}

$packages = [
    package('hiredis', 'hiredis', null, 'BSD-3-Clause'),
    package('openssl', 'openssl', null, 'Apache-2.0'),
];
$relations = [];
foreach (array_map('basename', glob("$directory/*.{tgz,zip,deb}", GLOB_BRACE)) as $number => $file) {
    $packages[] = package("file$number", $file, $version, 'MIT', ['packageFileName' => $file, 'checksums' => [
        ['algorithm' => 'SHA256', 'checksumValue' => hash_file('sha256', "$directory/$file")]]]);
    $relations[] = relation('DOCUMENT', 'DESCRIBES', "file$number");
    if (!str_ends_with($file, '.tgz')) {
        $relations[] = relation("file$number", str_ends_with($file, '.zip') ? 'STATIC_LINK' : 'DYNAMIC_LINK', 'hiredis');
        $relations[] = relation("file$number", 'DYNAMIC_LINK', 'openssl');
    }
}

echo json_encode([
    'spdxVersion' => 'SPDX-2.3',
    'dataLicense' => 'CC0-1.0',
    'SPDXID' => 'SPDXRef-DOCUMENT',
    'name' => "rlock-$version",
    'documentNamespace' => "$home/spdx/$version",
    'creationInfo' => ['created' => gmdate('Y-m-d\TH:i:s\Z'), 'creators' => ['Tool: dev/release']],
    'packages' => $packages,
    'relationships' => $relations,
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
