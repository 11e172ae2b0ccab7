import { openDocumentClient } from './document-client.ts'
import { watchDocumentMemory } from './document-memory.ts'
import { measureDocumentTimes } from './document-times.ts'
import type { Part } from './part.ts'
import { type Compared, comparedLine, comparedReport, openSteadyLoad, rest } from './steady-load.ts'

/** Downloads of documents by one client over one connection. */
export const documents: Part = {
  name: 'documents',
  is: 'how long one takes, memory while many are set, and listing policies meanwhile',
  async run(context, { rounds, seconds, documents: count }) {
    const { stage, say } = context
    const client = await openDocumentClient(context)
    const times = await measureDocumentTimes(client, rounds)
    const memory = await watchDocumentMemory(client, { count, pid: stage.productPid, say })

    const load = await openSteadyLoad(context)
    const compared: Compared[] = []
    let downloaded = 0
    for (let round = 1; round <= rounds; round++) {
      const atRest = await load.measure(() => rest(seconds))
      const end = performance.now() + seconds * 1_000
      const meanwhile = await load.measure(async () => {
        downloaded += await client.getCertificates(() => performance.now() > end)
      })
      compared.push({ atRest, meanwhile })
      say(`  round ${round}: ${comparedLine({ atRest, meanwhile })}`)
    }
    const pace = `one client meanwhile: ${(downloaded / rounds / seconds).toFixed(0)} certificates a second`
    return [times, memory, [pace, ...comparedReport(compared)].join('\n')].join('\n\n')
  },
}
