import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Builds the image of the package in the folder with buildah, and writes it there as an archive for `docker load`. Returns why there is none
 * where buildah is not installed.
 */
export function buildImage(
  root: string,
  { out, version, madeAt }: { out: string; version: string; madeAt: Date },
): string | undefined {
  if (spawnSync('buildah', ['--version']).status !== 0) return 'buildah is not installed'
  const tag = `banyan:${version}`
  const file = join(root, 'Dockerfile')
  const timestamp = String(madeAt.getTime() / 1_000) // of every file and layer, so that the bytes do not depend on the day
  run(['build', '--format', 'docker', '--timestamp', timestamp, '--file', file, '--tag', tag, ...baseImages(), out])
  run(['push', tag, `docker-archive:${join(out, `banyan-image-${version}.tar`)}:${tag}`])
  return undefined
}

/** Other images to build on, as for a mirror. */
const baseImages = (): string[] =>
  ['NODE_IMAGE', 'BASE_IMAGE'].flatMap((name) => {
    const image = process.env[name]
    return image === undefined ? [] : ['--build-arg', `${name}=${image}`]
  })

function run(args: string[]): void {
  const { status } = spawnSync('buildah', args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`buildah ${args[0]} failed; with --no-image, everything else is built`)
}
