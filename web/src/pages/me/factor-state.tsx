import { Paper, Text } from '@mantine/core'
import { IconCheck, IconInfoCircle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { MySecondFactors } from '../../../../client/voucher-api.generated.ts'
import { Notice } from '../../components/notice.tsx'
import { useMustSetUp, usePerson } from '../../session.tsx'
import classes from './me.module.css'

/** The first line of the page: whether the person has a second factor, and whether they need one. */
export function FactorState({ factors }: { factors: MySecondFactors }) {
  const { t } = useTranslation()
  const { role } = usePerson()
  const mustSetUp = useMustSetUp()
  const isOn = factors.app !== null || factors.passkeys.length > 0
  if (!isOn && factors.required)
    return (
      <Notice tone="warn">
        <b style={{ fontWeight: 600 }}>{t(`my-factors.must-${role}`)}</b>{' '}
        {t(mustSetUp ? 'my-factors.set-up-now' : 'my-factors.set-up-soon')}
      </Notice>
    )
  return (
    <Paper className={classes.state} withBorder radius="lg" bg="var(--vs-panel)" role="status">
      {isOn ? (
        <IconCheck size={20} stroke={1.7} color="var(--vs-ok)" aria-hidden />
      ) : (
        <IconInfoCircle size={20} stroke={1.7} color="var(--vs-soft)" aria-hidden />
      )}
      <Text lh="20px">
        {t(isOn ? 'my-factors.on' : 'my-factors.off')}{' '}
        <Text span c="dimmed">
          {isOn ? factors.required && t(`my-factors.need-${role}`) : t('my-factors.off-why')}
        </Text>
      </Text>
    </Paper>
  )
}
