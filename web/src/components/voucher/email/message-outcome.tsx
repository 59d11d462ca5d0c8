import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Message, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { messageOf, messagesQuery } from '../../../queries/messages.ts'
import { messageWords } from './message-words.ts'

type Props = {
  voucher: Voucher
  /** What is known of the message. One that belongs to the creation of the voucher has no id yet. */
  sent: Pick<Message, 'email' | 'state'> & Partial<Message>
}

/** What became of a message until now. */
export function MessageOutcome({ voucher, sent }: Props) {
  const { t } = useTranslation()
  const { data } = useQuery(messagesQuery(voucher, { untilSettled: sent.id }))
  const message: Props['sent'] = messageOf(data?.messages ?? [], sent.id) ?? sent
  const hasFailed = message.state === 'rejected' || message.state === 'expired'
  return (
    <div role="status">
      <Text fw={500} {...(hasFailed && { c: 'var(--vs-bad-text)' })} style={{ overflowWrap: 'anywhere' }}>
        {messageWords(t, message)}
      </Text>
      {message.state !== 'accepted' && message.answer && (
        <Text fz={13.5} c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {message.answer}
        </Text>
      )}
      {message.state === 'waiting' && message.failure && (
        <Text fz={13.5} mt={6}>
          {t('voucher-email.sent-waiting')}
        </Text>
      )}
    </div>
  )
}
