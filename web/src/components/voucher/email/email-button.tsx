import { Button, type ButtonProps } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Voucher } from '../../../../../client/voucher-api.generated.ts'
import { EmailDialog } from './email-dialog.tsx'

type Props = ButtonProps & { voucher: Voucher; guestInfo: GuestInfo }

/** Sends the code of a voucher to its guest. Show it only where the site can send e-mail. */
export function EmailButton({ voucher, guestInfo, ...button }: Props) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMail size={18} aria-hidden />}
        {...button}
        onClick={() => setIsOpen(true)}
      >
        {t('voucher-email.button')}
      </Button>
      {isOpen && <EmailDialog voucher={voucher} guestInfo={guestInfo} onClose={() => setIsOpen(false)} />}
    </>
  )
}
