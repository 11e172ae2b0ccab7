import { useEffect } from 'react'
import { Empty } from '../parts/outcomes.tsx'
import { LOGGED_IN_CHANNEL } from './session-end.tsx'

/** The end of a login in a tab of its own: notifies the waiting page, and closes where the browser allows it. */
export function LoggedIn() {
  useEffect(() => {
    const channel = new BroadcastChannel(LOGGED_IN_CHANNEL)
    channel.postMessage('logged in')
    channel.close()
    window.close()
  }, [])
  return <Empty title="You are logged in">Close this tab and go on in the other one.</Empty>
}
