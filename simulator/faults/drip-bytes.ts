import type { ServerResponse } from 'node:http'
import { wait } from './wait.ts'

/** Sends a body one byte after the other, for as long as the caller listens. */
export async function dripBytes(
  response: ServerResponse,
  body: Buffer,
  { everyMs, onByte }: { everyMs: number; onByte: () => void },
): Promise<void> {
  response.flushHeaders()
  for (const byte of body) {
    await wait(response, everyMs)
    if (response.destroyed) return
    response.write(Buffer.of(byte))
    onByte()
  }
  response.end()
}
