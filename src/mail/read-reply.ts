import type { Socket } from 'node:net'
import { MailFailure } from './mail.ts'

const maxReplyBytes = 16 * 1024

/**
 * Reads one reply of SMTP from a paused socket, and pauses it again. Rejects what follows the reply: a server is silent until it
 * is asked, and text that comes before the encryption could be somebody else's.
 */
export function readReply(socket: Socket, timeoutMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  const onData = (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const [reply] = /^(?:\d{3}-.*\r?\n)*\d{3}(?: .*)?\r?\n/.exec(received) ?? []
    if (reply !== undefined && reply.length === received.length) resolve(Buffer.from(reply, 'latin1').toString().trim())
    else if (reply !== undefined || isNoReply(received)) reject(new MailFailure('not_smtp'))
  }
  const onEnd = () => reject(new MailFailure('connection_lost'))
  const timer = setTimeout(() => reject(new MailFailure('no_answer')), timeoutMs)
  socket.on('data', onData).on('error', onEnd).on('close', onEnd).resume()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.pause()
    socket.off('data', onData).off('error', onEnd).off('close', onEnd)
  })
}

function isNoReply(received: string): boolean {
  return received.length > maxReplyBytes || !/^(\d{0,3}$|\d{3}[-\s])/.test(received)
}
