import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { MailSender, MailServerChange } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { reloads } from './reloads.ts'

/** The mail server and the senders. */
export const mailQuery = queryOptions({
  queryKey: ['mail'],
  queryFn: () => api.getMailSettings(),
})

const reloadsAll = reloads(mailQuery.queryKey)

/** Sends nothing if no field is given. */
export const updateMailServer = mutationOptions({
  mutationFn: async (change: MailServerChange) =>
    Object.keys(change).length > 0 ? api.updateMailServer(change) : undefined,
  ...reloadsAll,
})

export const deleteMailServer = mutationOptions({
  mutationFn: () => api.deleteMailServer(),
  ...reloadsAll,
})

/** Tests the stored mail server, and sends a test message to the person. */
export const testMailServer = mutationOptions({
  mutationFn: () => api.testMailServer({}),
})

type SenderOfSite = { siteId: number | null; sender: MailSender }

/** Null: the sender of all other sites. */
export const updateMailSender = mutationOptions({
  mutationFn: ({ siteId, sender }: SenderOfSite) =>
    siteId === null ? api.updateMailSender(sender) : api.updateSiteMailSender(siteId, sender),
  ...reloadsAll,
})

export const deleteMailSender = mutationOptions({
  mutationFn: (siteId: number | null): Promise<void> =>
    siteId === null ? api.deleteMailSender() : api.deleteSiteMailSender(siteId),
  ...reloadsAll,
})
