<?php
/*
 * What a release consists of, as SPDX 2.3: php dev/sbom.php VERSION DIRECTORY
 *
 * Each archive of the DIRECTORY with its checksum; hiredis, which the binaries for PIE have linked in; and OpenSSL,
 * which they take as the system has it. Both with the distribution that they are from, its revision and a package URL:
 * distributions mend old versions, and by the upstream's number alone a scanner would report what is mended. Binaries
 * say in their archive's comment what they were built with, Debian's packages in the .buildinfo beside them. Needs unzip.
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

const LICENSES = ['hiredis' => 'BSD-3-Clause', 'openssl' => 'Apache-2.0'];
const SUPPLIERS = ['debian' => 'Debian', 'ubuntu' => 'Ubuntu', 'alpine' => 'Alpine Linux'];

/** @return array<string, string> the package URLs by name, as dev/build-binary notes them */
function built_with(string $zip): array
{
    preg_match_all('~^pkg:\w+/\w+/(\w+)@\S+$~m', (string) shell_exec('unzip -z ' . escapeshellarg($zip)), $found);
    $urls = array_combine($found[1], $found[0]);
    return array_diff_key(LICENSES, $urls) ? throw new RuntimeException("$zip does not tell its hiredis and OpenSSL") : $urls;
}

/** @return array<string, ?string> the same of a package of Debian's; null where it has no .buildinfo */
function built_with_by_debian(string $deb): array
{
    $info = glob(preg_replace('~[^_/]*(_[^/]*)\.deb$~', '*$1.buildinfo', $deb))[0] ?? null;
    $text = $info ? file_get_contents($info) : '';
    $suite = preg_match('/~deb(\d+)|\.deb(\d+)/', basename($deb), $match) ? '&distro=debian-' . end($match) : '';
    $urls = [];
    foreach (['hiredis' => 'libhiredis-dev', 'openssl' => 'libssl-dev'] as $name => $development) {
        $urls[$name] = preg_match("/^ $development \\(= (\S+)\\)/m", $text, $match)
            ? "pkg:deb/debian/$name@" . strtr($match[1], ['+' => '%2B', ':' => '%3A']) . "?arch=source$suite"
            : null;
    }
    return $urls;
}

/* A library, by its package URL; without one, nothing but its name is known. */
function library(string $name, ?string $url): array
{
    if ($url === null) {
        return package($name, $name, null, LICENSES[$name]);
    }
    preg_match('~^pkg:\w+/(\w+)/\w+@([^?]+)~', $url, $match);
    return package("$name-" . substr(hash('sha256', $url), 0, 8), $name, rawurldecode($match[2]), LICENSES[$name], [
        'supplier' => 'Organization: ' . (SUPPLIERS[$match[1]] ?? $match[1]),
        'externalRefs' => [
            ['referenceCategory' => 'PACKAGE-MANAGER', 'referenceType' => 'purl', 'referenceLocator' => $url]],
    ]);
}

$packages = [];
$relations = [];
foreach (array_map('basename', glob("$directory/*.{tgz,zip,deb}", GLOB_BRACE)) as $number => $file) {
    $packages[] = package("file$number", $file, $version, 'MIT', ['packageFileName' => $file, 'checksums' => [
        ['algorithm' => 'SHA256', 'checksumValue' => hash_file('sha256', "$directory/$file")]]]);
    $relations[] = relation('DOCUMENT', 'DESCRIBES', "file$number");
    if (!str_ends_with($file, '.tgz')) {
        $is_zip = str_ends_with($file, '.zip');
        foreach ($is_zip ? built_with("$directory/$file") : built_with_by_debian("$directory/$file") as $name => $url) {
            $library = library($name, $url);
            $packages[$library['SPDXID']] = $library;
            $kind = $is_zip && $name === 'hiredis' ? 'STATIC_LINK' : 'DYNAMIC_LINK';
            $relations[] = relation("file$number", $kind, substr($library['SPDXID'], strlen('SPDXRef-')));
        }
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
