import type { Queryable } from '#db/database.ts'
import type { FixedSettings } from '../settings/house.ts'

export const mailServerSetting = 'mail_server'
/** The sender of all sites without one of their own. */
export const commonSenderSetting = 'mail_from'
export const prefixOfSiteSenders = 'mail_from/'

/** Parameters for `canSendMailSql`: whether the environment sets the server and the common sender. */
export function fixedMailValues({ mail_server: server, mail_from: sender }: FixedSettings): boolean[] {
  return [server !== undefined, sender !== undefined]
}

/** SQL: messages of a site can be sent. The parameters from `first` on are `fixedMailValues`. */
export const canSendMailSql = (siteId: string, first: number) =>
  `(($${first}::boolean or exists (select from settings where name = '${mailServerSetting}'))
    and ($${first + 1}::boolean
         or exists (select from settings where name in ('${commonSenderSetting}', '${prefixOfSiteSenders}' || ${siteId}))))`

/** Whether messages of a site can be sent: there is a mail server, and a sender for the site. */
export async function findCanSendMail(db: Queryable, fixed: FixedSettings, siteId: number): Promise<boolean> {
  const { rows } = await db.query<{ can: boolean }>(`select ${canSendMailSql('$1::integer', 2)} as can`, [
    siteId,
    ...fixedMailValues(fixed),
  ])
  return rows[0]?.can === true
}
