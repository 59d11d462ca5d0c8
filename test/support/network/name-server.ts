import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '#lib/random.ts'
import { onFileEnd } from '../on-file-end.ts'

export type NameServer = {
  /** A copy of `/etc/resolv.conf` that names only this server. */
  resolvConf: string
  /** The names that were asked for, and how often. */
  asked: Map<string, number>
}

/** Answers with 127.0.0.1 for each name, and never for names that contain `hanging`. Needs root, because its port is 53. */
export async function startNameServer(): Promise<NameServer> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, end } = readName(query)
    asked.set(name, (asked.get(name) ?? 0) + 1)
    if (!name.includes('hanging')) socket.send(answerTo(query, end), from.port, from.address)
  })
  const random = createRandom(process.pid)
  const address = `127.53.${random.between(0, 255)}.${random.between(1, 254)}`
  socket.bind(53, address)
  await once(socket, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'name-server-'))
  const resolvConf = join(folder, 'resolv.conf')
  writeFileSync(resolvConf, `nameserver ${address}\n`)
  onFileEnd(() => {
    socket.close()
    rmSync(folder, { recursive: true })
  })
  return { resolvConf, asked }
}

/** Reads the name in the only question of a message. `end` is where its type begins. */
function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}

const typeA = 1

/** The answer to a question: one address for type A, none for other types. */
function answerTo(query: Buffer, end: number): Buffer {
  const isAboutIpv4 = query.readUInt16BE(end) === typeA
  const head = Buffer.from(query.subarray(0, end + 4))
  head.writeUInt16BE(0x8180, 2) // an answer without an error
  head.writeUInt16BE(isAboutIpv4 ? 1 : 0, 6)
  head.writeUInt32BE(0, 8) // nothing else, e.g. no EDNS
  const record = [0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]
  return isAboutIpv4 ? Buffer.concat([head, Buffer.from(record)]) : head
}
