"""Registration of rules and the form of the errors they raise."""

from __future__ import annotations

from gpucluster.sandbox.clouds.account import Rules
from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.cloud import BusyError, CloudError

RULES: Rules[ManagedResource] = Rules()
rule = RULES.rule


def refused(code: str, message: str, *, status: int = 400) -> CloudError:
    """An error in the provider's wording.

    Source: pulumi/pulumi-azure-native provider/pkg/azure/client_azcore.go (PulumiAzcoreResponseError).
    """
    return CloudError(f'Status={status} Code="{code}" Message="{message}"')


def repeated(code: str, message: str, *, status: int, seconds: float) -> BusyError:
    """An error after which the provider retries.

    seconds: until the conflicting operation ends.
    """
    return BusyError(str(refused(code, message, status=status)), seconds)


def kept_from(managed: ManagedResource, what: str) -> CloudError:
    """Refuses a request that ARM would accept and that then does not work; the error states this.

    what: the consequence in a real subscription.
    """
    kind = managed.token.rsplit(":", 1)[-1]
    return CloudError(f'the sandbox does not make {kind} "{managed.name}", though a real subscription would: {what}')
