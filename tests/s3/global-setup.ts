import { type S3Server, startSwift } from './swift-server.ts'

let server: S3Server

/** Starts one S3 server for the run; tests find it in the environment. */
export async function globalSetup(): Promise<void> {
  server = await startSwift()
  process.env['BANYAN_TEST_S3'] = JSON.stringify(server.access)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
}
