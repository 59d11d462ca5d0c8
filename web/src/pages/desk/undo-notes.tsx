import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Undo } from '../../components/creation/undo.ts'
import { Notice } from '../../components/notice.tsx'
import classes from './desk.module.css'

const tones = { sending: 'warn', lost: 'warn', accepted: 'warn', revoked: 'ok', failed: 'bad' } as const

type Props = {
  undos: Undo[]
  /** Removes a message. */
  onRead: (key: string) => void
}

/** Says for each voucher that was taken back whether its code still works. */
export function UndoNotes({ undos, onRead }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return undos.map(({ key, voucher, status }) => (
    <div key={key} className={classes.undoNote}>
      <Notice
        tone={tones[status]}
        title={t(`undo.${status}`, { code: voucher.formatted_code })}
        action={
          status === 'failed' && (
            <Button
              variant="default"
              size="compact-md"
              className={classes.small ?? ''}
              onClick={() => {
                onRead(key)
                void navigate({ to: '/vouchers', search: { site: voucher.site_id, voucher: voucher.id } })
              }}
            >
              {t('undo.show')}
            </Button>
          )
        }
      >
        {t(`undo.${status}-text`, { name: voucher.name })}
      </Notice>
    </div>
  ))
}
