import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { FILE_BYTES_MAX, type Storage } from '../../src/kernel/storage/storage.ts'

const MIB = 1024 * 1024

/** Yields the bytes in pieces of this size. */
export async function* inPieces(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** The whole file under a key; undefined when missing. */
export async function read(storage: Storage, key: string): Promise<Buffer | undefined> {
  const stream = await storage.get(key)
  return stream && Buffer.concat(await stream.toArray())
}

/** The contract of every storage, whatever its backend. `open` is called once; it need not be empty. */
export function describeStorage(name: string, open: () => Promise<Storage>): void {
  const fresh = () => `contract/${randomBytes(8).toString('hex')}`
  let storage: Storage
  before(async () => {
    storage = await open()
  })

  describe(`${name}: a file`, () => {
    it('comes back byte for byte, empty or large, however it was split', async () => {
      const bytes = randomBytes(3 * MIB + 1)
      for (const [length, size] of [
        [0, 1],
        [1, 1],
        [1000, 7],
        [64 * 1024, 64 * 1024],
        [bytes.length, 99_991],
        [bytes.length, bytes.length],
      ] as const) {
        const key = fresh()
        await storage.put(key, inPieces(bytes.subarray(0, length), size))
        assert(bytes.subarray(0, length).equals((await read(storage, key)) as Buffer), `${length} bytes`)
      }
    })

    it('is undefined when missing, also where other keys share a prefix', async () => {
      const key = fresh()
      assert.equal(await storage.get(key), undefined)
      await storage.put(`${key}/part`, inPieces(Buffer.from('part')))
      assert.equal(await storage.get(key), undefined)
      assert.equal(await storage.get(`${key}/part/part`), undefined)
      await storage.put(key, inPieces(Buffer.from('whole')))
      assert.deepEqual(
        [String(await read(storage, key)), String(await read(storage, `${key}/part`))],
        ['whole', 'part'],
      )
    })

    it('is replaced by a later one, a longer by a shorter', async () => {
      const [key, neighbour] = [fresh(), fresh()]
      await storage.put(neighbour, inPieces(Buffer.from('neighbour')))
      for (const bytes of [randomBytes(MIB), randomBytes(10), Buffer.alloc(0), randomBytes(1000)]) {
        await storage.put(key, inPieces(bytes))
        assert(bytes.equals((await read(storage, key)) as Buffer))
      }
      assert.equal(String(await read(storage, neighbour)), 'neighbour')
    })

    it('is gone after its removal, which may be repeated and affects no other', async () => {
      const key = fresh()
      await storage.put(key, inPieces(Buffer.from('whole')))
      await storage.put(`${key}/part`, inPieces(Buffer.from('part')))
      await storage.delete(key)
      await storage.delete(key)
      await storage.delete(`${fresh()}/never/there`)
      assert.equal(await storage.get(key), undefined)
      assert.equal(String(await read(storage, `${key}/part`)), 'part')
      await storage.put(key, inPieces(Buffer.from('again')))
      assert.equal(String(await read(storage, key)), 'again')
    })
  })

  describe(`${name}: a file is stored completely or not at all`, () => {
    /** An upload that aborts after a megabyte. */
    async function* broken(error: Error) {
      yield* inPieces(randomBytes(MIB))
      throw error
    }

    it('when its bytes break off, nothing changes and the error of the source is thrown', async () => {
      const error = new Error('the sender went away')
      const [key, missing] = [fresh(), fresh()]
      await storage.put(key, inPieces(Buffer.from('earlier')))
      for (const one of [key, missing]) {
        await assert.rejects(storage.put(one, broken(error)), (thrown) => thrown === error)
      }
      assert.equal(String(await read(storage, key)), 'earlier')
      assert.equal(await storage.get(missing), undefined)
    })

    it('when it is larger than allowed, nothing changes and no more of it is read', async () => {
      let given = 0
      let ended = false
      async function* endless() {
        try {
          for (;;) {
            given += MIB
            yield Buffer.alloc(MIB)
          }
        } finally {
          ended = true
        }
      }
      const key = fresh()
      await assert.rejects(storage.put(key, endless()), { name: 'AssertionError' })
      assert.deepEqual([await storage.get(key), ended], [undefined, true])
      assert(given <= FILE_BYTES_MAX + MIB)
    })

    it('when it has exactly the maximum size, it is stored', async () => {
      const bytes = randomBytes(FILE_BYTES_MAX)
      const key = fresh()
      await storage.put(key, inPieces(bytes))
      assert(bytes.equals((await read(storage, key)) as Buffer))
      await storage.delete(key)
    })

    it('when several are stored concurrently under one key, one of them remains', async () => {
      const files = Array.from({ length: 8 }, () => randomBytes(MIB))
      const key = fresh()
      await Promise.all(files.map((bytes) => storage.put(key, inPieces(bytes))))
      const stored = await read(storage, key)
      assert(files.some((bytes) => stored && bytes.equals(stored)))
    })

    it('when it is replaced or removed during a read, the read completes with one version', async () => {
      const [earlier, later] = [randomBytes(2 * MIB), randomBytes(2 * MIB)]
      const key = fresh()
      await storage.put(key, inPieces(earlier))
      const readers = await Promise.all(Array.from({ length: 4 }, () => storage.get(key)))
      await storage.put(key, inPieces(later))
      await storage.delete(key)
      for (const reader of readers) {
        const bytes = Buffer.concat((await reader?.toArray()) ?? [])
        assert(bytes.equals(earlier) || bytes.equals(later))
      }
    })
  })

  describe(`${name}: reading`, () => {
    it('may be stopped midway, a hundred times, and others can still read', async () => {
      const bytes = randomBytes(MIB)
      const key = fresh()
      await storage.put(key, inPieces(bytes))
      for (let time = 0; time < 100; time++) {
        const stream = await storage.get(key)
        assert(stream)
        if (time % 2 === 0) for await (const piece of stream) if (piece.length > 0) break
        stream.destroy()
      }
      const all = await Promise.all(Array.from({ length: 20 }, () => read(storage, key)))
      for (const one of all) assert(one && bytes.equals(one))
    })
  })

  describe(`${name}: keys`, () => {
    const PATHS = ['', '/', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/..', 'a/../../b', './a', 'a/./b', '.unfinished/a']
    const SIGNS = [
      'a.b',
      'A',
      'a b',
      'a\\b',
      'a\0b',
      'a\n',
      'a\nb',
      'é',
      'आशा',
      'a%2fb',
      '%2e%2e/a',
      'c:a',
      '~',
      '*',
      'a?b',
      'a#b',
    ]
    const OTHER_FORMS = [...PATHS, ...SIGNS, 'a'.repeat(201)]

    it('of another format are rejected before a byte is read', async () => {
      let asked = 0
      const bytes: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => {
            asked += 1
            return { done: true, value: undefined }
          },
        }),
      }
      for (const key of OTHER_FORMS) {
        const calls = [() => storage.put(key, bytes), () => storage.get(key), () => storage.delete(key)]
        for (const call of calls) await assert.rejects(call, { name: 'AssertionError' }, JSON.stringify(key))
      }
      assert.equal(asked, 0)
    })

    it('may have any depth, and 200 characters in one segment', async () => {
      for (const key of [`${fresh()}/1/2/3/4/5/6/7`, 'x'.repeat(200), '-_0', `${fresh()}/-`]) {
        await storage.put(key, inPieces(Buffer.from(key)))
        assert.equal(String(await read(storage, key)), key)
        await storage.delete(key)
      }
    })
  })
}
