"""Models at the sizes that people train and serve, for `gpu.py`: random weights, no dropout, inputs that fill a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
import transformers
from gpu_unet import UNet

Inputs = dict[str, torch.Tensor]
Build = Callable[[], torch.nn.Module]
DEVICE = "cuda"  # a test runs the steps on "meta"


@dataclass(frozen=True)
class Size:
    """A model and its inputs. `mixed`: float32 weights under autocast to bfloat16; otherwise weights are bfloat16. `shape`: the
    batch, and the length or the size of an image."""

    name: str
    build: Build
    inputs: Callable[..., Inputs]
    shape: tuple[int, int]
    mixed: bool = False
    channels_last: bool = False


def _tokens(vocabulary: int) -> Callable[..., Inputs]:
    def inputs(batch: int, length: int) -> Inputs:
        tokens = torch.randint(2, vocabulary, (batch, length))
        return {"input_ids": tokens, "labels": tokens}

    return inputs


def _translation(batch: int, length: int) -> Inputs:
    source, target = (torch.randint(2, 32000, (batch, length)) for _ in range(2))
    return {"input_ids": source, "labels": target}


def _images(batch: int, size: int) -> Inputs:
    return {"pixel_values": torch.randn(batch, 3, size, size), "labels": torch.randint(1000, (batch,))}


def _speech(batch: int, frames: int) -> Inputs:
    return {"input_features": torch.randn(batch, 80, frames)}


def _latents(batch: int, size: int) -> Inputs:
    return {"x": torch.randn(batch, 4, size, size), "time": torch.rand(batch)}


def _gpt2() -> torch.nn.Module:
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False))
    model.loss_type = "ForCausalLM"  # otherwise a warning breaks the graph before the loss
    return model


def _llama() -> torch.nn.Module:
    config = transformers.LlamaConfig(
        vocab_size=32000, hidden_size=2048, num_hidden_layers=8, num_attention_heads=16, num_key_value_heads=4, intermediate_size=5632,
        max_position_embeddings=4096, use_cache=False,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config)


def _moe() -> torch.nn.Module:
    config = transformers.MixtralConfig(
        vocab_size=32000, hidden_size=1024, num_hidden_layers=6, num_attention_heads=16, num_key_value_heads=4, intermediate_size=1792,
        num_local_experts=8, max_position_embeddings=4096, use_cache=False, sliding_window=None,
    )  # fmt: skip
    return transformers.MixtralForCausalLM(config)


def _bert() -> torch.nn.Module:
    return transformers.BertForMaskedLM(transformers.BertConfig(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0))


def _t5() -> torch.nn.Module:
    config = transformers.T5Config(
        vocab_size=32128, d_model=768, d_ff=3072, num_layers=12, num_heads=12, dropout_rate=0.0, use_cache=False, pad_token_id=0,
        eos_token_id=1, decoder_start_token_id=0,
    )  # fmt: skip
    return transformers.T5ForConditionalGeneration(config)


def _classes() -> dict[str, Any]:
    return {"num_labels": 1000, "problem_type": "single_label_classification"}


def _vit() -> torch.nn.Module:
    return transformers.ViTForImageClassification(transformers.ViTConfig(**_classes()))


def _swin() -> torch.nn.Module:
    return transformers.SwinForImageClassification(transformers.SwinConfig(drop_path_rate=0.0, **_classes()))


def _resnet() -> torch.nn.Module:
    return transformers.ResNetForImageClassification(transformers.ResNetConfig(**_classes()))


def _convnext() -> torch.nn.Module:
    return transformers.ConvNextForImageClassification(transformers.ConvNextConfig(**_classes()))


def _efficientnet() -> torch.nn.Module:
    config = transformers.EfficientNetConfig(
        width_coefficient=1.0, depth_coefficient=1.0, image_size=224, hidden_dim=1280, dropout_rate=0.0, drop_connect_rate=0.0, **_classes()
    )
    return transformers.EfficientNetForImageClassification(config)


def _whisper() -> torch.nn.Module:
    config = transformers.WhisperConfig(d_model=768, encoder_layers=12, encoder_attention_heads=12, encoder_ffn_dim=3072, dropout=0.0)
    return transformers.models.whisper.modeling_whisper.WhisperEncoder(config)


SIZES = {
    size.name: size
    for size in (
        Size("T5-base", _t5, _translation, (16, 512)),
        Size("EfficientNet-B0", _efficientnet, _images, (128, 224), mixed=True, channels_last=True),
        Size("U-Net", UNet, _latents, (16, 64), mixed=True),
        Size("Swin-T", _swin, _images, (64, 224), mixed=True),
        Size("ResNet-50", _resnet, _images, (128, 224), mixed=True, channels_last=True),
        Size("Mixtral-like", _moe, _tokens(32000), (4, 2048)),
        Size("GPT-2", _gpt2, _tokens(50257), (8, 1024)),
        Size("GPT-2 autocast", _gpt2, _tokens(50257), (8, 1024), mixed=True),
        Size("Llama-like", _llama, _tokens(32000), (4, 2048)),
        Size("BERT-base", _bert, _tokens(30522), (32, 256), mixed=True),
        Size("ConvNeXt-T", _convnext, _images, (64, 224), mixed=True),
        Size("ViT-B/16", _vit, _images, (64, 224), mixed=True),
        Size("Whisper-small encoder", _whisper, _speech, (8, 3000)),
    )
}


def loss_of(outputs: Any) -> torch.Tensor:
    """A model's loss; models without labels: the mean square of what they return."""
    loss = getattr(outputs, "loss", None)
    if loss is not None:
        return loss
    result = outputs if isinstance(outputs, torch.Tensor) else outputs.last_hidden_state
    return result.float().square().mean()


def result_of(outputs: Any) -> torch.Tensor:
    """What a model returns."""
    if isinstance(outputs, torch.Tensor):
        return outputs
    return outputs.logits if "logits" in outputs else outputs.last_hidden_state


@dataclass(eq=False)
class LargeModel:
    """A model of `SIZES`; a training step without optimizer if `train`."""

    size: Size
    train: bool
    module: torch.nn.Module | None = None
    parameters: list[torch.Tensor] = field(default_factory=list)
    inputs: Inputs = field(default_factory=dict)

    def open(self) -> torch.nn.Module:
        """What is compiled."""
        if self.module is None:
            torch.manual_seed(0)
            size, dtype = self.size, torch.float32 if self.size.mixed else torch.bfloat16
            layout = torch.channels_last if size.channels_last else torch.preserve_format
            with torch.device(DEVICE):
                self.module = size.build().to(dtype, memory_format=layout).train(self.train)
                found = size.inputs(*size.shape)
            self.parameters = list(self.module.parameters())
            found = {k: v.to(dtype) if v.is_floating_point() else v for k, v in found.items() if self.train or k != "labels"}
            if not self.train and isinstance(self.module, transformers.T5ForConditionalGeneration):
                found["decoder_input_ids"] = found["input_ids"]
            self.inputs = {k: v.to(memory_format=layout) if v.ndim == 4 else v for k, v in found.items()}
        return self.module

    def step(self, function: Callable[..., Any]) -> torch.Tensor:
        """One call, or one forward and backward."""
        with torch.autocast("cuda", torch.bfloat16, enabled=self.size.mixed):
            if not self.train:
                with torch.no_grad():
                    return result_of(function(**self.inputs))
            self.rest()
            loss = loss_of(function(**self.inputs))
        loss.backward()
        return loss.detach()

    def outputs(self, function: Callable[..., Any]) -> tuple[torch.Tensor, ...]:
        """What a call computes: the results, or the loss and the norm of all gradients."""
        result = self.step(function)
        if not self.train:
            return (result,)
        return result, torch.stack(norms(p.grad for p in self.parameters)).norm()

    def rest(self) -> None:
        """Frees what the last call left."""
        for parameter in self.parameters:
            parameter.grad = None

    def close(self) -> None:
        """Leaves unused memory to other processes."""
        self.rest()
        torch.cuda.empty_cache()


@dataclass(eq=False)
class OptimizerStep:
    """A step of AdamW over the parameters of a model of `SIZES`."""

    size: Size
    parameters: list[torch.Tensor] = field(default_factory=list)
    optimizer: torch.optim.Optimizer | None = None

    def open(self) -> Callable[[], None]:
        """What is compiled."""
        if self.optimizer is None:
            torch.manual_seed(0)
            with torch.device(DEVICE):
                module = self.size.build().to(torch.float32 if self.size.mixed else torch.bfloat16)
            self.parameters = list(module.parameters())
            for parameter in self.parameters:
                parameter.grad = torch.randn_like(parameter)
            self.optimizer = torch.optim.AdamW(self.parameters, lr=torch.tensor(1e-4, device=DEVICE), capturable=True, foreach=True)
        optimizer = self.optimizer

        def step() -> None:
            optimizer.step()

        return step

    def step(self, function: Callable[..., Any]) -> None:
        """One step."""
        function()

    def outputs(self, function: Callable[..., Any]) -> tuple[torch.Tensor, ...]:
        """The norm of all parameters after a step from where they were; they are put back."""
        before = [p.detach().clone() for p in self.parameters]
        function()
        moved = torch.stack(norms(p.detach() - b for p, b in zip(self.parameters, before, strict=True))).norm()
        for parameter, value in zip(self.parameters, before, strict=True):
            parameter.detach().copy_(value)
        return (moved,)

    def rest(self) -> None:
        """Does nothing: a step leaves nothing."""

    def close(self) -> None:
        """Leaves unused memory to other processes."""
        torch.cuda.empty_cache()


def norms(tensors: Iterable[torch.Tensor | None]) -> list[torch.Tensor]:
    """The 2-norms of the tensors that exist."""
    return [torch.linalg.vector_norm(t.float()) for t in tensors if t is not None]
