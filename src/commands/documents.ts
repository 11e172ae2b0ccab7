import type { Command } from 'commander'
import { loadStorage, loadVaultConfig } from '../settings/config.ts'
import type { DocumentDefect } from '../domains/cover/documents/index.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, withJson } from './terminal.ts'

export function addDocumentsCommand(program: Command): void {
  withJson(
    program
      .command('documents')
      .description('commands for the uploaded documents')
      .command('verify')
      .description(
        'read every uploaded document in the document storage, and list those that are missing or cannot be opened; exit code 1 if there are any',
      )
      .addHelpText(
        'after',
        `
Safe alongside running servers; it changes nothing, and reads the whole storage. Each document that is found has a line:
  missing     the storage does not have it
  damaged     the storage has other bytes, or the key of its user cannot be opened (see \`formats verify\`)
  unreached   the storage failed for it; after twenty in a row the command ends
Exit codes: 0 all can be opened, 1 not all, or storage or database cannot be used, 2 wrong option or setting.`,
      ),
  ).action(async ({ json = false }: JsonOption) => {
    const [{ verifyDocuments }, { createVault }, { loadVaultKeys }, { createStorage }] = await Promise.all([
      import('../domains/cover/documents/index.ts'),
      import('../kernel/crypto/vault.ts'),
      import('../boot/keys.ts'),
      import('../kernel/storage/create-storage.ts'),
    ])
    const config = loadVaultConfig()
    const vault = createVault(await loadVaultKeys(config))
    const storage = await createStorage(loadStorage())
    const defects: DocumentDefect[] = []
    let count = 0
    const onDefect = (one: DocumentDefect) => {
      count++
      if (json) defects.push(one)
      else print(`${one.defect}: ${one.object} of ${one.policy_id}`)
    }
    const documents = await withDatabase(config, (db) =>
      verifyDocuments({ db, vault, storage }, { onDefect, onProgress: createProgress('documents') }),
    )
    if (json) printJson({ documents, defects })
    else print(`${documents} documents, ${count} missing or unreadable`)
    if (count > 0) process.exitCode = EXIT_FAILURE
  })
}
