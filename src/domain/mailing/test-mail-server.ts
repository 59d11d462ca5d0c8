import { repeatWhileFull } from '#lib/pieces.ts'
import type { Requester } from '../actor.ts'
import { checkMailServer, type MailCheckRequest } from '../mail-server/check-mail-server.ts'
import { updateMessagesDue } from '../messages/messages.queries.ts'

const messagesAtOnce = 1_000

/** Tests the mail server. If the stored one works, waiting messages are sent now: their pauses may have grown to half an hour. */
export async function testMailServer(
  ctx: Parameters<typeof checkMailServer>[0],
  actor: Requester,
  request: MailCheckRequest,
): ReturnType<typeof checkMailServer> {
  const checked = await checkMailServer(ctx, actor, request)
  const isStored = Object.values(request.server).every((value) => value === undefined)
  if (isStored && checked.lines.every(({ result }) => result === 'ok'))
    await repeatWhileFull(messagesAtOnce, () => updateMessagesDue(ctx.db, messagesAtOnce))
  return checked
}
