import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'

type Component = { 'bom-ref': string; type: string; name: string }
type Sbom = {
  serialNumber: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const BYTES_MAX = 16 * 1024 * 1024

/**
 * Returns the CycloneDX document of what a production installation has, on any system. npm makes it from the lock file; what
 * differs between two runs there, its serial number, time and folder, follows here from the content.
 */
export function sbomOf(root: string, { name, madeAt }: { name: string; madeAt: Date }): string {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev', '--package-lock-only']
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: BYTES_MAX })
  const { metadata, components, dependencies, ...rest } = JSON.parse(text) as Sbom
  const { tools: _tools, ...about } = metadata as Sbom['metadata'] & { tools: unknown } // the npm of the machine
  const document = {
    ...rest,
    serialNumber: '',
    metadata: { ...about, timestamp: madeAt.toISOString(), component: { ...metadata.component, name } },
    components: components.filter(({ 'bom-ref': ref }) => !ref.startsWith(CLIENT)),
    dependencies: dependencies.filter(({ ref }) => !ref.startsWith(CLIENT)).map(withoutClient),
  }
  document.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(document))}`
  return `${JSON.stringify(document, null, 2)}\n`
}

/** The client is a workspace, not a part of the server. */
const CLIENT = '@banyan/client@'

const withoutClient = ({ ref, dependsOn }: Sbom['dependencies'][number]) => ({
  ref,
  dependsOn: dependsOn.filter((one) => !one.startsWith(CLIENT)),
})

/** A UUID of version 8 (RFC 9562) made of the hash of a text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
