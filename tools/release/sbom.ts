import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Component = { 'bom-ref': string; type: string; name: string }
type Sbom = {
  serialNumber: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const BYTES_MAX = 16 * 1024 * 1024

/**
 * Returns the CycloneDX document of what a production installation has, on any system. npm makes it from the lock file, with
 * everything: with `--omit dev`, it also leaves out what the tools share with the program. What differs
 * between two runs of npm, serial number, time and folder, follows here from the content.
 */
export function sbomOf(root: string, { name, madeAt }: { name: string; madeAt: Date }): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: BYTES_MAX })
  const { metadata, components, dependencies, ...rest } = JSON.parse(text) as Sbom
  const { tools: _tools, ...about } = metadata as Sbom['metadata'] & { tools: unknown } // the npm of the machine
  const isPart = productionRefs(root)
  const document = {
    ...rest,
    serialNumber: '',
    metadata: { ...about, timestamp: madeAt.toISOString(), component: { ...metadata.component, name } },
    components: components.filter(({ 'bom-ref': ref }) => isPart.has(ref)),
    dependencies: dependencies
      .filter(({ ref }) => isPart.has(ref) || ref === metadata.component['bom-ref'])
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => isPart.has(one)) })),
  }
  document.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The packages of a production installation, as the document names them. */
function productionRefs(root: string): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; dev?: boolean; link?: boolean }>
  }
  return new Set(
    Object.entries(packages).flatMap(([path, { version, dev, link }]) =>
      path.startsWith('node_modules/') && !dev && !link ? [`${path.replace(/.*node_modules\//, '')}@${version}`] : [],
    ),
  )
}

/** A UUID of version 8 (RFC 9562) made of the hash of a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
