import { createServer, Server } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** A turn of the event loop that takes longer has done some work, and a connection may have arrived meanwhile. */
const emptyTurnMs = 0.1
/** A process that is busy all the time closes its listener anyway. */
const patienceMs = 900

/**
 * Stops accepting connections, at a moment when none waits to be accepted. The kernel resets those that wait. nginx has already
 * sent its request then, and does not send a POST to another api, because the first one may have carried it out: 9 of 5,500
 * requests failed in ten restarts. Open connections stay open.
 */
export async function closeListener(server: Server): Promise<void> {
  let hasAccepted = false
  const onConnection = () => {
    hasAccepted = true
  }
  server.on('connection', onConnection)
  await rehearse()
  const endsAt = performance.now() + patienceMs
  for (let isQuiet = false; !isQuiet; ) {
    // The system rarely interrupts a process that has just been asleep.
    await pause(2)
    hasAccepted = false
    const begin = performance.now()
    await nextTurn() // Node accepts waiting connections before it continues here
    const end = performance.now()
    isQuiet = (!hasAccepted && end - begin < emptyTurnMs) || end > endsAt
  }
  closeOnlyListener(server)
  server.off('connection', onConnection)
}

/** Closes another listener first, so that Node has compiled the code: the first call takes several times as long. */
async function rehearse(): Promise<void> {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  await nextTurn()
  closeOnlyListener(other)
}

/** `close` of an HTTP server would first close idle connections, which takes time. */
function closeOnlyListener(server: Server): void {
  Server.prototype.close.call(server)
}
