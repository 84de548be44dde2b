"""A resources server of NeMo Gym for translations, with celab's reward."""

from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)

import celab

REWARD = celab.integrations.reward(lang="zh", unit=True)


class TranslationRequest(BaseVerifyRequest):
    """A response, with the source and the references of its row in the data set."""

    text: str
    translation: str | list[str] | None = None


class TranslationServer(SimpleResourcesServer):
    """Rewards translations."""

    config: BaseResourcesServerConfig

    async def verify(self, body: TranslationRequest) -> BaseVerifyResponse:
        """Return the reward of a response, from 0 to 1; 0 without a reference."""
        columns = {"reference": [body.translation], "source": [body.text]}
        (value,) = REWARD([body.response.output_text], **columns)
        return BaseVerifyResponse(**body.model_dump(), reward=value or 0.0)


if __name__ == "__main__":
    TranslationServer.run_webserver()
