import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { Message, MessageCreation, Voucher } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { pollEvery } from './polling.ts'
import { allVouchers } from './recent-vouchers.ts'
import { reloads } from './reloads.ts'

/** Quick at first. A mail server that is out of reach may stay so for hours. */
const pollMs = ({ created_at: createdAt }: Message) => (Date.now() - Date.parse(createdAt) < 30_000 ? 1_000 : 10_000)

/** The message with this id; without an id, that of the creation, which is the oldest one. */
export function messageOf(messages: Message[], id: string | undefined): Message | undefined {
  return id === undefined ? messages.at(-1) : messages.find((each) => each.id === id)
}

/** The messages about a voucher. They are loaded again until the outcome of one of them is known. */
export const messagesQuery = ({ id }: Voucher, { untilSettled }: { untilSettled: string | undefined }) =>
  queryOptions({
    queryKey: [...allVouchers, 'messages', id],
    queryFn: () => api.listVoucherMessages(id),
    refetchInterval: pollEvery((data: { messages: Message[] } | undefined) => {
      const message = messageOf(data?.messages ?? [], untilSettled)
      if (!message) return 1_000
      return message.settled_at === null ? pollMs(message) : false
    }),
  })

/** Sends the code of a voucher to an address. */
export const createMessage = ({ id }: Voucher) =>
  mutationOptions({ mutationFn: (message: MessageCreation) => api.createMessage(id, message), ...reloads(allVouchers) })
