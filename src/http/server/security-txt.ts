import type { FastifyInstance } from 'fastify'
import type { DatabaseClock } from '#db/database.ts'
import { registerPublicPage } from './public-page.ts'

type SecurityTxtContext = {
  securityContact: string | undefined
  publicUrl: string | undefined
  clock: Pick<DatabaseClock, 'now'>
}

const path = '/.well-known/security.txt'
const validDays = 180

/** Says to whom people report a weakness of this installation (RFC 9116), if SECURITY_CONTACT is set. */
export function registerSecurityTxt(app: FastifyInstance, ctx: SecurityTxtContext): void {
  const { securityContact: contact, publicUrl, clock } = ctx
  if (contact === undefined) return
  registerPublicPage(app, {
    url: path,
    async render(_request, reply) {
      const expires = new Date(clock.now().getTime() + validDays * 86_400_000)
      const lines = [
        `Contact: ${contact}`,
        `Expires: ${expires.toISOString()}`,
        'Preferred-Languages: en, de',
        ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl}${path}`]),
      ]
      return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`)
    },
  })
}
