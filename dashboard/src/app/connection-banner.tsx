import { useNetwork } from '@mantine/hooks'

export function ConnectionBanner() {
  const { online } = useNetwork()
  if (online) return null
  return (
    <div className="banner" role="status">
      No connection. What you see may be old; what you type stays until you can send it.
    </div>
  )
}
