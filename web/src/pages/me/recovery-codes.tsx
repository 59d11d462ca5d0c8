import { Button, Checkbox, Stack } from '@mantine/core'
import { IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCopy } from '../../hooks/use-copy.ts'
import { useHouse } from '../../house.ts'
import { printLines } from '../../print/print-lines.ts'
import { saveFile } from '../../save-file.ts'
import { usePerson } from '../../session.tsx'
import classes from './me.module.css'

type Props = {
  codes: string[]
  /** The button that works after the tick. */
  action: (isStored: boolean) => ReactNode
}

/** The ten recovery codes, which are shown only now, and the tick that they are stored. */
export function RecoveryCodes({ codes, action }: Props) {
  const { t } = useTranslation()
  const { email } = usePerson()
  const house = useHouse()
  const { isCopied, copy } = useCopy()
  const [isStored, setIsStored] = useState(false)
  const title = t('my-factors.file-title', { name: house.name ?? t('app.name') })
  const about = t('my-factors.file-text', { email, host: location.host })
  const save = () =>
    saveFile('recovery-codes.txt', new Blob([[title, about, '', ...codes, ''].join('\n')], { type: 'text/plain' }))
  const small = { variant: 'default', size: 'xs', h: 32, px: 12, fz: 13 } as const
  return (
    <Stack gap="sm" className={classes.recovery ?? ''}>
      <ul className={`${classes.codes} code`}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={classes.keep}>
        <Button {...small} leftSection={<IconCopy size={15} aria-hidden />} onClick={() => copy(codes.join('\n'))}>
          {t(isCopied ? 'actions.copied' : 'actions.copy')}
        </Button>
        <Button {...small} leftSection={<IconDownload size={15} aria-hidden />} onClick={save}>
          {t('my-factors.save-file')}
        </Button>
        <Button
          {...small}
          leftSection={<IconPrinter size={15} aria-hidden />}
          onClick={() => printLines(title, [about, '', ...codes])}
        >
          {t('my-factors.print')}
        </Button>
      </div>
      <div className={classes.last}>
        <Checkbox
          label={t('my-factors.stored')}
          checked={isStored}
          onChange={(event) => setIsStored(event.currentTarget.checked)}
        />
        {action(isStored)}
      </div>
    </Stack>
  )
}
