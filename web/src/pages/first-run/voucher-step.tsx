import { Button, Group, Paper, Text } from '@mantine/core'
import { IconArrowRight, IconCheck } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo, Site, Voucher } from '../../../../client/voucher-api.generated.ts'
import { api, randomKey, toApiError } from '../../api.ts'
import { Notice } from '../../components/notice.tsx'
import { ErrorMessage } from '../../components/state-pages.tsx'
import { PrintMenu } from '../../print/print-menu.tsx'
import classes from './first-run-frame.module.css'
import type { SetupState } from './setup-state.ts'
import { Heading } from './step-parts.tsx'

type Props = {
  state: SetupState
  /** Keeps this step open, although a voucher exists now. */
  onMade: () => void
}

/**
 * Creates the first voucher and shows its code. While it is unknown whether there is one, the page asks the service and
 * does not create another.
 */
export function VoucherStep({ state, onMade }: Props) {
  const { t } = useTranslation()
  const site = state.sites.find(({ active }) => active) as Site
  const [idempotencyKey, setIdempotencyKey] = useState(randomKey)
  const queries = useQueryClient()
  const [voucher, setVoucher] = useState<Voucher>()
  /** Set if certainly no voucher was created. Then the next attempt is a new request. */
  const [failure, setFailure] = useState<unknown>(null)
  const [isUnknown, setIsUnknown] = useState(false)
  const made = (found: Voucher) => {
    setVoucher(found)
    onMade()
    void queries.invalidateQueries({ queryKey: ['vouchers'] })
  }
  const notMade = (error: unknown) => {
    setIdempotencyKey(randomKey())
    setIsUnknown(false)
    setFailure(error)
  }
  const create = useMutation({
    mutationFn: () =>
      api.createVoucher(
        { site_id: site.id, name: t('setup.voucher-name'), max_uses: 1, expire_minutes: 60 },
        { idempotencyKey },
      ),
    onMutate: () => setFailure(null),
    onSuccess: made,
    onError: (error) => (toApiError(error).voucher_outcome === 'none' ? notMade(error) : setIsUnknown(true)),
  })
  useQuery({
    queryKey: ['setup-outcome', idempotencyKey],
    queryFn: async () => {
      const { outcome, voucher: found } = await api.getVoucherOutcome(idempotencyKey)
      if (outcome === 'made' && found) made(found)
      if (outcome === 'none') notMade(create.error)
      return outcome
    },
    enabled: isUnknown && !voucher,
    refetchInterval: 2_000,
  })
  if (voucher) return <FirstVoucher voucher={voucher} site={site} guestInfo={state.guestInfo as GuestInfo} />
  return (
    <div className={classes.narrow}>
      <Heading title={t('setup.voucher-title')} text={t('setup.voucher-text', { site: site.name })} />
      {isUnknown && <Notice tone="warn">{t('setup.asking')}</Notice>}
      {failure ? <ErrorMessage error={failure} /> : null}
      <Button
        mt="md"
        size="md"
        fz="md"
        loading={create.isPending || isUnknown}
        rightSection={<IconArrowRight size={16} aria-hidden />}
        onClick={() => create.mutate()}
      >
        {t(failure ? 'actions.try-again' : 'setup.create')}
      </Button>
    </div>
  )
}

function FirstVoucher({ voucher, site, guestInfo }: { voucher: Voucher; site: Site; guestInfo: GuestInfo }) {
  const { t } = useTranslation()
  const { wifi_name: wifi } = guestInfo
  return (
    <div className={classes.narrow}>
      <Heading title={t('setup.works')} text={t('setup.works-text')} />
      <Paper withBorder radius="lg" p={20} bg="var(--vs-panel)" role="status">
        <Group justify="space-between" mb={4}>
          <Group gap={8}>
            <IconCheck size={18} aria-hidden color="var(--vs-ok)" />
            <Text fw={600}>{t('setup.voucher')}</Text>
          </Group>
          <Text fz={13} c="dimmed">
            {t('setup.validity')}
          </Text>
        </Group>
        <Text className={`code ${classes.code}`}>{voucher.formatted_code}</Text>
        <Text c="dimmed">{wifi ? t('setup.join', { wifi }) : t('setup.join-unnamed')}</Text>
      </Paper>
      <Group mt="md">
        <Button
          component={Link}
          ref={focus}
          to="/desk"
          size="md"
          fz="md"
          rightSection={<IconArrowRight size={16} aria-hidden />}
        >
          {t('actions.to-desk')}
        </Button>
        <PrintMenu variant="default" vouchers={[voucher]} site={site} guestInfo={guestInfo} />
      </Group>
    </div>
  )
}

/** Moves the focus, because the button that had it is gone. */
function focus(link: HTMLAnchorElement | null): void {
  link?.focus()
}
