<?php
/*
 * What a release consists of, as SPDX 2.3: php dev/sbom.php VERSION DIRECTORY
 *
 * Each archive of the DIRECTORY with its checksum; hiredis, which the binaries have linked in, in which version; and
 * OpenSSL, which they take as the system has it. Needs unzip.
 */
[, $version, $directory] = $argv;

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

/* The version that was linked in, as dev/build-binary notes it. */
function hiredis_in(string $zip): string
{
    $note = (string) shell_exec('unzip -p ' . escapeshellarg($zip) . ' LICENSE.hiredis');
    preg_match('/^hiredis (\d+(\.\d+)+)$/m', $note, $match) || throw new RuntimeException("$zip does not tell its hiredis");
    return $match[1];
}

$packages = ['openssl' => package('openssl', 'openssl', null, 'Apache-2.0')];
$relations = [];
foreach (array_map('basename', glob("$directory/*.{tgz,zip,deb}", GLOB_BRACE)) as $number => $file) {
    $packages[] = package("file$number", $file, $version, 'MIT', ['packageFileName' => $file, 'checksums' => [
        ['algorithm' => 'SHA256', 'checksumValue' => hash_file('sha256', "$directory/$file")]]]);
    $relations[] = relation('DOCUMENT', 'DESCRIBES', "file$number");
    if (!str_ends_with($file, '.tgz')) {
        $linked = str_ends_with($file, '.zip') ? hiredis_in("$directory/$file") : null;
        $hiredis = $linked ? "hiredis-$linked" : 'hiredis';
        $packages[$hiredis] = package($hiredis, 'hiredis', $linked, 'BSD-3-Clause');
        $relations[] = relation("file$number", $linked ? 'STATIC_LINK' : 'DYNAMIC_LINK', $hiredis);
        $relations[] = relation("file$number", 'DYNAMIC_LINK', 'openssl');
    }
}

echo json_encode([
    'spdxVersion' => 'SPDX-2.3',
    'dataLicense' => 'CC0-1.0',
    'SPDXID' => 'SPDXRef-DOCUMENT',
    'name' => "rlock-$version",
    'documentNamespace' => "https://spdx.org/spdxdocs/rlock-$version-" . hash('sha256', json_encode($packages)),
    'creationInfo' => ['created' => gmdate('Y-m-d\TH:i:s\Z'), 'creators' => ['Tool: dev/release']],
    'packages' => array_values($packages),
    'relationships' => $relations,
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
